import type { OutcomeRow, ReservedRow } from '../../../src/connect/ledger/rows.ts';

const PAYEE = `0x${'2'.repeat(40)}`;

/** A reservation of one dollar with caps of two a call and ten a day. */
export function reservedRow(overrides: Partial<ReservedRow> = {}): ReservedRow {
  const nonce = overrides.nonce ?? nonceOf(1);
  const amount = overrides.amount ?? '1000000';
  return {
    time: '2026-11-20T12:00:00.000Z',
    outcome: 'reserved',
    tool: 'buy',
    amount,
    server: 'http://127.0.0.1:1',
    payTo: PAYEE,
    nonce,
    tx: null,
    call: 'call',
    approved: false,
    caps: { perCall: '2000000', perDay: '10000000', perTool: null },
    authorization: {
      from: `0x${'1'.repeat(40)}`,
      to: PAYEE,
      value: amount,
      validAfter: '1795175000',
      validBefore: '1795176300',
      nonce,
    },
    accepted: {
      scheme: 'exact',
      network: 'eip155:31337',
      amount,
      asset: `0x${'3'.repeat(40)}`,
      payTo: PAYEE,
      maxTimeoutSeconds: 300,
      extra: { name: 'Dollar', version: '1' },
    },
    ...overrides,
  };
}

/** What became of a reservation. */
export function outcomeRow(
  { nonce, tool, amount, server, payTo }: ReservedRow,
  outcome: OutcomeRow['outcome'],
): OutcomeRow {
  const time = '2026-11-20T12:00:01.000Z';
  const facts = { time, tool, amount, server, payTo, nonce };
  return { ...facts, outcome, code: null, refund: null, tx: null };
}

/** The nonce with a number. */
export function nonceOf(place: number): string {
  return `0x${place.toString(16).padStart(64, '0')}`;
}
