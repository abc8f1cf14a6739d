import { tmpdir } from 'node:os'
import { findGit } from '../../src/system/git.ts'

/** Where folders of tests lie in no checkout, as the usual place for them may. */
export const OUTSIDE = findGit(tmpdir()) === undefined ? tmpdir() : '/tmp'
