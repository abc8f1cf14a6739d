/** Every bound of the bus, with its unit. Byte limits count UTF-8 as written to disk. */

const KIB = 1024

export const LIMITS = {
  /** One message file, bytes. Fits a broker's 1 MiB frame and stays far below the 10 MiB at which clients drop a connection. */
  messageBytes: 256 * KIB,
  /** The line a plugin may push as visible text, bytes. */
  activationBytes: 2 * KIB,
  /** One session file, bytes. */
  sessionBytes: 16 * KIB,
  taskBytes: 500,
  progressBytes: 500,
  resultBytes: 8 * KIB,
  metadataBytes: 4 * KIB,
  nameChars: 48,
  tags: 16,
  aliases: 8,
  /** Sessions one session may follow, wait for or send to in one call. */
  targets: 64,
  /** One read_inbox answer as the model sees it, bytes. Hosts cut results at about 25 000 tokens; one that cuts earlier says so. */
  inboxAnswerBytes: 40 * KIB,
  /** One list_sessions answer, bytes. */
  listAnswerBytes: 8 * KIB,
  listRows: 20,
  historyRows: 50,
  /** How long a writer waits for another writer of the same session, ms. */
  lockWaitMs: 1_000,
  /** A claim whose owner cannot be checked goes back to its inbox after this, ms. */
  claimLeaseMs: 60_000,
  /** A message handed back this often is set aside as damaged: it kills its readers. */
  claimReturns: 5,
  /** A session that cannot be checked and gave no sign of life for this long is `unknown`, ms. */
  quietMs: 10 * 60_000,
  /** Signs of life are written at most this often, ms. */
  beatMs: 30_000,
  /** A time stamp further ahead than this is treated as now, ms. */
  clockSkewMs: 60_000,
  /** Wakes one session may cause in another within `wakeWindowMs`. */
  wakesPerPair: 6,
  wakeWindowMs: 10 * 60_000,
  /** Replies to replies that may still wake. */
  wakeHops: 8,
  /** Members of a group or project that one send may wake. */
  wakesPerSend: 5,
  /** Pressing mail holds a turn open at most so often in a row. */
  holdsInARow: 3,
  /** A wake that has started no turn yet is given this long before another is tried, ms. */
  wakePatienceMs: 10_000,
  /** A wait's edge outlives its answer by this, so that two waits in turn still see each other, ms. */
  edgeGraceMs: 10_000,
  /** A created session that has not shown itself by then has failed, ms. */
  spawnWaitMs: 60_000,
  /** How long an answer waits for a host that performs an action by itself, ms. */
  actionWaitMs: 5_000,
  /** Between two looks at such an action, ms. */
  actionLookMs: 100,
  /** How long a host’s plugin gives one action before it turns to the next, ms. */
  actionLimitMs: 60_000,
  /** Who took an action and cannot be checked has so long, from when it was asked for, to say how it went, ms. */
  takerPatienceMs: 5 * 60_000,
  /** Ends of actions a session remembers to have been told of. */
  endedActions: 8,
  /** Actions that query_session shows of one session. */
  shownActions: 5,
  /** How long a host's conversation is remembered after its session and its mail are gone, ms. */
  bindingKeptMs: 24 * 60 * 60_000,
  /** Actions are kept so long, to tell how they ended, ms. */
  actionKeptMs: 24 * 60 * 60_000,
  /** State changes a record remembers, so that a cursor never misses one in between. */
  trail: 16,
} as const
