/** When two paths are one project. */

import type { ProjectPath } from './ports.ts'

/** What `Projects.resolve` makes of a drive or a share: `c:/x`, `//server/share/x`. */
const WINDOWS = /^(?:[a-z]:|\/)\//i

/**
 * The text by which projects are compared: equal keys are one project. The place in the main checkout where there is
 * one, so a worktree is its repository. Equality only: a folder inside another one is another project.
 * Not a path: never open it, and show {@link ProjectPath.path} to people.
 *
 * @param foldCase whether this machine's file system takes `App` and `app` for one name; Windows spellings always do.
 */
export function projectKey(project: ProjectPath, foldCase: boolean): string {
  const path = project.repoPath ?? project.path
  // NFC last: lower-casing can leave a letter and its mark apart.
  return (foldCase || WINDOWS.test(path) ? path.toLowerCase() : path).normalize('NFC')
}
