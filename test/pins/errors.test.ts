import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERRORS } from '../../src/domain/error.ts';
import { proves } from '../support/proves.ts';

// Typed by hand on purpose: a code, its status and its retry rule are part of the wire.
const PINNED: Readonly<Record<string, readonly [status: number, retry: string]>> = {
  ACTION_OFF: [403, 'after_fix'],
  ACTOR_CLOSED: [409, 'never'],
  ACTOR_STUCK: [409, 'later'],
  ACTOR_UNKNOWN: [404, 'never'],
  AGENT_TURNS_REFUSED: [422, 'after_fix'],
  ALERT_UNKNOWN: [404, 'never'],
  BID_UNKNOWN: [404, 'never'],
  BODY_TOO_LARGE: [413, 'after_fix'],
  CHAIN_UNAVAILABLE: [503, 'later'],
  CHALLENGE_REFUSED: [402, 'never'],
  CONFIG_INVALID: [500, 'after_fix'],
  CONTROL_OFF: [503, 'later'],
  CONTROL_UNKNOWN: [404, 'never'],
  COSIGNATURE_FORGED: [401, 'never'],
  DATA_DIR_BUSY: [409, 'later'],
  DEAD_LETTER_UNKNOWN: [404, 'never'],
  DELEGATION_INVALID: [422, 'after_fix'],
  DELEGATION_UNKNOWN: [404, 'never'],
  DELIVERABLE_HELD: [402, 'later'],
  EGRESS_BLOCKED: [422, 'never'],
  EGRESS_FAILED: [502, 'later'],
  EGRESS_TIMEOUT: [504, 'later'],
  EGRESS_TOO_LARGE: [502, 'never'],
  ENTRY_EXPIRED: [401, 'after_fix'],
  ENTRY_UNKNOWN: [401, 'after_fix'],
  ENTRY_USED: [401, 'after_fix'],
  EVENT_POISON: [500, 'never'],
  EVENT_UNEXPECTED: [409, 'after_fix'],
  FORBIDDEN: [403, 'never'],
  GAS_BUDGET: [429, 'later'],
  INPUT_INVALID: [422, 'after_fix'],
  INTERNAL: [500, 'later'],
  INVARIANT: [500, 'never'],
  JOB_UNKNOWN: [404, 'never'],
  JOURNAL_TRIMMED: [410, 'never'],
  MOVE_UNAVAILABLE: [409, 'after_fix'],
  MOVE_UNSIGNED: [401, 'after_fix'],
  NAME_TAKEN: [409, 'after_fix'],
  NOT_AT_REST: [503, 'later'],
  NOT_A_PANEL: [409, 'never'],
  NOT_CONFIGURED: [503, 'after_fix'],
  NOT_THE_PARTY: [403, 'never'],
  OVERLOADED: [503, 'later'],
  PASSPORT_UNKNOWN: [404, 'never'],
  PATHS_BOUND: [422, 'after_fix'],
  PATH_FAILED: [500, 'never'],
  PATH_INVALID: [422, 'after_fix'],
  PAYMENT_CONFLICT: [409, 'never'],
  PAYMENT_DUPLICATED: [400, 'after_fix'],
  PAYMENT_EXPIRED: [402, 'after_fix'],
  PAYMENT_FORGED: [402, 'never'],
  PAYMENT_FUNDS: [402, 'after_fix'],
  PAYMENT_MALFORMED: [400, 'after_fix'],
  PAYMENT_PENDING: [202, 'later'],
  PAYMENT_REPLAYED: [402, 'never'],
  PAYMENT_REQUIRED: [402, 'after_fix'],
  PAYMENT_UNDERPAID: [402, 'after_fix'],
  PAYMENT_WRONG_ASSET: [402, 'after_fix'],
  PAYMENT_WRONG_NETWORK: [402, 'after_fix'],
  PROOF_UNKNOWN: [404, 'never'],
  RATE_LIMITED: [429, 'later'],
  REPLAY_VERSION_GONE: [410, 'never'],
  REQUEST_UNKNOWN: [404, 'never'],
  SEAL_UNKNOWN: [404, 'never'],
  SEAL_USED: [409, 'never'],
  SEQ_CONFLICT: [409, 'after_fix'],
  SEQ_UNKNOWN: [404, 'never'],
  SERVER_UNREACHABLE: [503, 'later'],
  SESSION_UNKNOWN: [404, 'after_fix'],
  SETTLEMENT_FAILED: [402, 'after_fix'],
  SPENDING_CAP: [402, 'after_fix'],
  STORE_FULL: [507, 'later'],
  STORE_NEWER: [500, 'never'],
  TOOLSET_UNKNOWN: [404, 'after_fix'],
  TOOL_RETIRED: [410, 'never'],
  TOOL_UNKNOWN: [404, 'after_fix'],
  UNAUTHORIZED: [401, 'after_fix'],
  VERSION_UNSUPPORTED: [400, 'after_fix'],
  WALLET_EXPIRED: [401, 'after_fix'],
  WALLET_FORGED: [401, 'after_fix'],
  WALLET_NONCE_USED: [409, 'after_fix'],
  WALLET_REQUIRED: [401, 'after_fix'],
  WEBHOOK_UNKNOWN: [404, 'never'],
};

test('codes, statuses and retry rules stand as they were published', () => {
  proves('C7.s1', 'C9.i3');
  const table = Object.entries(ERRORS).map(([code, row]) => [code, [row.status, row.retry]]);
  expect(Object.fromEntries(table)).toEqual(PINNED);
});

test('every code has its anchor in the documents', () => {
  const page = readFileSync('docs/errors.md', 'utf8');
  const missing = Object.keys(ERRORS).filter((code) => !page.includes(`\n## ${code}\n`));
  expect(missing).toEqual([]);
});
