import { z } from 'zod';
import type { JsonObject } from '../../domain/common/json.ts';
import { Money, toMoney } from '../../domain/common/money.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { resolveExpired } from '../ledger/resolve-expired.ts';
import type { CallerDeps } from './caller.ts';
import { effectiveCaps } from './chain-settings.ts';
import { remainingToday } from './spending.ts';

/** Name of the bridge's only own tool. */
export const WALLET_STATUS = 'wallet_status';

const Status = z.object({
  address: z.string().describe('Address of the wallet. Send money here.'),
  network: z.string().nullable(),
  asset: z.string().nullable().describe('Address of the stablecoin.'),
  balance: Money.nullable().describe('null if the chain does not respond.'),
  server: z.string(),
  pay_to: z.string().nullable().describe('Payee of this server; null before the first payment.'),
  spent_today: Money.describe('Settled payments, and signed ones that may still settle; UTC day.'),
  left_today: Money,
  caps: z.object({ per_call: Money, per_day: Money, per_tool: z.record(z.string(), Money) }),
  undecided: z.array(z.object({ tool: z.string(), amount: Money, since: z.string() })),
});
type Status = z.infer<typeof Status>;

/** Most payments with an unknown outcome in the answer. */
const UNDECIDED_MAX = 20;

/** The tool's entry in `tools/list`. */
export const WALLET_STATUS_TOOL = {
  name: WALLET_STATUS,
  title: 'Wallet, caps and remaining budget',
  description:
    'Get the balance, spending and caps of the local wallet that pays for priced tools. ' +
    'Returns what it spent today, what is left, its caps per call, per day and per tool, and ' +
    'payments with an unknown outcome. Free and read-only.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  outputSchema: z.toJSONSchema(Status, { target: 'draft-7' }),
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
} as const;

/** Runs the `wallet_status` tool. */
export async function runWalletStatus(deps: CallerDeps): Promise<ToolResult> {
  const status = await readStatus(deps);
  const { caps } = status;
  const tools = Object.entries(caps.per_tool).map(
    ([name, cap]) => `; ${name} $${cap.amount} per day`,
  );
  const held = status.balance === null ? 'an unknown amount' : `$${status.balance.amount}`;
  const place = status.network === null ? '' : ` on ${status.network}`;
  const lines = [
    `$${status.left_today.amount} of $${caps.per_day.amount} left today; ` +
      `$${status.spent_today.amount} spent or held.`,
    `Caps: $${caps.per_call.amount} per call, $${caps.per_day.amount} per day${tools.join('')}.`,
    `Wallet ${status.address} holds ${held}${place}.`,
    ...status.undecided.map(
      ({ tool, amount, since }) => `Unknown outcome: $${amount.amount} for ${tool} since ${since}.`,
    ),
  ];
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: JSON.parse(JSON.stringify(status)) as JsonObject,
  };
}

async function readStatus(deps: CallerDeps): Promise<Status> {
  const { wallet, ledger, payees, payee, server, capOverrides } = deps;
  const setting = deps.chainSettings();
  await resolveExpired(ledger, setting);
  const caps = effectiveCaps(setting, capOverrides);
  const purse = setting?.asset;
  const balance =
    purse === undefined ? undefined : await setting?.reader?.balanceOf(purse.asset, wallet.address);
  const known = purse === undefined ? undefined : payees.find(server, purse.network);
  return {
    address: wallet.address,
    network: purse?.network ?? null,
    asset: purse?.asset ?? null,
    balance: balance === undefined ? null : toMoney(balance.toString()),
    server,
    pay_to: payee ?? known ?? null,
    spent_today: toMoney(ledger.totalsToday('').day.toString()),
    left_today: toMoney(remainingToday(ledger, caps)),
    caps: {
      per_call: toMoney(caps.perCall),
      per_day: toMoney(caps.perDay),
      per_tool: Object.fromEntries(
        Object.entries(caps.perTool).map(([name, cap]) => [name, toMoney(cap)]),
      ),
    },
    undecided: ledger
      .entries()
      .filter(({ isAdmitted, last }) => isAdmitted && isUndecided(last.outcome))
      .slice(-UNDECIDED_MAX)
      .map(({ reserved: { tool, amount, time } }) => ({
        tool,
        amount: toMoney(amount),
        since: time,
      })),
  };
}

function isUndecided(outcome: string): boolean {
  return outcome === 'reserved' || outcome === 'doubtful';
}
