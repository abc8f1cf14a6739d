/** What the terminal of the real host shows in each state, and that its adapter still reads it so. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { screen } from '../../src/hosts/claude-code/screen.ts'
import { shownIn } from '../../src/hosts/tmux/screen.ts'
import { begin, idle } from './lab/begin.ts'
import { claudeCode, claudeCodeNewest, withPlugin } from './lab/claude-code.ts'
import { newIn, proof } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { tabTest } from './lab/installed.ts'
import { inPlace } from './lab/place.ts'
import { until } from './lab/until.ts'

const folder = path.join(import.meta.dirname, '../hosts/screens/claude-code')

async function readsScreens(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const conversation = place.model.conversation('one')
    let release: (value?: unknown) => void = () => {}
    conversation.play((request) => {
      if (newIn(request).includes('be slow')) {
        const after = new Promise((resolve) => {
          release = resolve
        })
        return { text: 'late', after }
      }
      if (!newIn(request).includes('write it')) return { text: 'end' }
      return { tool: /^Write$/, args: { file_path: path.join(place.project, 'new.txt'), content: 'new' } }
    })
    const tab = await place.tab(withPlugin(host, 'tab'), 'one', '', { flags: ['--permission-mode', 'default'] })
    /** Waits until the adapter reads the screen as `expected`; undefined = no input line. `RECORD_SCREENS=1` keeps it. */
    const reads = async (state: string, expected: { input: string; isWorking: boolean } | undefined) => {
      let captured = ''
      await until(`${state} is read as ${JSON.stringify(expected)}`, async () => {
        captured = await tab.styled()
        return JSON.stringify(screen.read(shownIn(captured))) === JSON.stringify(expected)
      }).catch((fault) => {
        throw new Error(`${fault.message}: ${JSON.stringify(screen.read(shownIn(captured)))}`)
      })
      if (process.env['RECORD_SCREENS'] !== '1' || host !== claudeCodeNewest) return
      await mkdir(folder, { recursive: true })
      await writeFile(path.join(folder, `${state}.txt`), captured.replaceAll(place.root, '/tmp/lab'))
    }
    const type = async (text: string) => tab.press('-l', '--', text)

    await idle(place)
    await reads('fresh', { input: '', isWorking: false })
    await begin(place, tab, conversation)
    await reads('idle', { input: '', isWorking: false })
    await type('a draft')
    await reads('draft', { input: 'a draft', isWorking: false })
    await tab.press('M-Enter')
    await type('and more')
    await reads('draft-of-two-lines', { input: 'a draft\n  and more', isWorking: false })
    await tab.press('C-u')
    await tab.press('BSpace')
    await tab.press('C-u')
    await reads('cleared', { input: '', isWorking: false })
    await type('!')
    await reads('shell-mode', undefined)
    await tab.press('BSpace')
    await reads('cleared', { input: '', isWorking: false })
    await type('/rename Peter')
    await reads('command', { input: '/rename Peter', isWorking: false })
    await delay(400)
    await tab.press('Enter')
    await tab.shows(/Session renamed to: Peter/)
    await reads('renamed', { input: '', isWorking: false })
    await type('/model claude-haiku-4-5')
    await tab.shows(/\/model claude-haiku-4-5/)
    await delay(400)
    await tab.press('Enter')
    await tab.shows(/Switch model\?/)
    await reads('dialog', undefined)
    await tab.press('Escape')
    await reads('idle-again', { input: '', isWorking: false })
    await tab.say('write it')
    await tab.shows(/Do you want to/)
    await reads('permission', undefined)
    await tab.press('Escape')
    await reads('idle-again', { input: '', isWorking: false })
    await tab.say('be slow')
    await reads('working', { input: '', isWorking: true })
    await type('a draft')
    await reads('working-with-draft', { input: 'a draft', isWorking: true })
    await tab.press('C-u')
    await reads('working-again', { input: '', isWorking: true })
    await tab.press('Escape')
    await reads('cancelled', { input: 'be slow', isWorking: false })
    release()
    proof(
      host,
      'its input line and its turns are read from the screen in 15 states; dialogs and the shell mode are none',
    )
  })
}

for (const host of [claudeCodeNewest, claudeCode]) tabTest('its screen is read as it is', [host], readsScreens)
