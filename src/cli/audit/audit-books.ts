import type { BooksAuditResult } from '../../auditor/audit-books.ts';
import { AppError } from '../../domain/common/error.ts';
import { formatUsd } from '../../domain/common/money.ts';
import type { Input } from '../common/usage.ts';
import type { AUDIT } from '../usage/audit.ts';

/**
 * `stoa audit-books`: checks from the chain's logs and the public feed alone
 * whether the books balance. Returns 1 if they do not, or if the data is incomplete.
 */
export async function auditBooks(flags: Input<typeof AUDIT.auditBooks>): Promise<number> {
  const { rpc, events, escrow, json } = flags;
  if (!URL.canParse(rpc) || !URL.canParse(events)) throw usageError('two addresses', rpc || events);
  if (escrow !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(escrow)) {
    throw usageError('--escrow 0x and 40 hex digits', escrow);
  }
  const fromBlock = parseWholeNumber(flags['from-block'], '--from-block');
  const waitMs = 1_000 * parseWholeNumber(flags.wait, '--wait');
  const { auditBooks: audit } = await import('../../auditor/audit-books.ts');
  const audited = await audit({
    rpcUrl: rpc,
    eventsUrl: events,
    fromBlock,
    waitMs,
    ...(escrow === undefined ? {} : { escrow: escrow as `0x${string}` }),
  });
  process.stdout.write(`${json ? JSON.stringify(toJson(audited)) : toText(audited)}\n`);
  return audited.isBalanced ? 0 : 1;
}

function parseWholeNumber(text: string, flag: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw usageError(`${flag} with a whole number`, text);
}

function usageError(allowed: string, received: string): AppError {
  const message = `The command takes ${allowed}.`;
  return new AppError('CONFIG_INVALID', { message, data: { received } });
}

const AMOUNTS = [
  ...(['in', 'toldIn', 'paidOut', 'refunded', 'kept', 'held'] as const),
  ...(['openJobs', 'owed', 'unaccounted', 'untoldOut'] as const),
];

function toJson(audited: BooksAuditResult) {
  const named = AMOUNTS.map((name) => {
    const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [`${key}_micro_usd`, audited[name].toString()];
  });
  const { isBalanced, isWhole, accounts, block, events, thirdPartyJobs, differences } = audited;
  return {
    is_balanced: isBalanced,
    is_whole: isWhole,
    accounts,
    block,
    events,
    jobs_of_others: thirdPartyJobs,
    ...Object.fromEntries(named),
    differences,
  };
}

const PRUNED =
  'unknown: the node has pruned blocks. On the embedded chain, use chain.history_url of the ' +
  'ready line instead.';

function toText(audited: BooksAuditResult): string {
  const { isBalanced, isWhole, accounts, block, events, thirdPartyJobs, differences } = audited;
  const usd = (amount: bigint) => `${formatUsd(amount)} USD`;
  const head = isBalanced ? 'yes: the books balance' : 'no: the books do not balance';
  return [
    isWhole ? head : PRUNED,
    `${events} events about money, chain read up to block ${block}`,
    ...(accounts === null ? ['The feed has no events about money.'] : []),
    `in ${usd(audited.in)} = paid out ${usd(audited.paidOut)} + refunded ` +
      `${usd(audited.refunded)} + kept ${usd(audited.kept)} + held ${usd(audited.held)}` +
      (audited.untoldOut === 0n ? '' : ` + unreported ${usd(audited.untoldOut)}`),
    `held: open jobs ${usd(audited.openJobs)}, owed ${usd(audited.owed)}, ` +
      `without a job ${usd(audited.unaccounted)}`,
    ...(thirdPartyJobs === 0
      ? []
      : [`${thirdPartyJobs} jobs in the escrow belong to other servers`]),
    ...differences.map(({ what, ref, transaction, expected, found }) =>
      [`- ${what}`, ref, transaction, expected && `expected ${expected}`, found && `found ${found}`]
        .filter((word) => word !== undefined && word !== '')
        .join(', '),
    ),
  ].join('\n');
}
