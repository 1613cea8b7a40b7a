import { z } from 'zod';
import type { JsonObject } from '../../domain/common/json.ts';
import { Money, money } from '../../domain/common/money.ts';
import type { ToolResult } from '../../domain/tool/tool.ts';
import { sweepLapsed } from '../ledger/sweep.ts';
import type { CallerDeps } from './caller.ts';
import { capsIn } from './setting.ts';
import { leftToday } from './spending.ts';

/** Name of the one tool that the bridge has of its own. */
export const WALLET_STATUS = 'wallet_status';

const Status = z.object({
  address: z.string().describe('Where to send money to.'),
  network: z.string().nullable(),
  asset: z.string().nullable().describe('The stablecoin.'),
  balance: Money.nullable().describe('null when the chain does not say.'),
  server: z.string(),
  pay_to: z.string().nullable().describe('Who this server is paid at; null before the first time.'),
  spent_today: Money.describe('Settled, and signed but not settled yet; by UTC day.'),
  left_today: Money,
  caps: z.object({ per_call: Money, per_day: Money, per_tool: z.record(z.string(), Money) }),
  undecided: z.array(z.object({ tool: z.string(), amount: Money, since: z.string() })),
});
type Status = z.infer<typeof Status>;

/** Most payments without a known outcome that are named. */
const UNDECIDED_MAX = 20;

/** The row of the tool in the list. */
export const WALLET_STATUS_ROW = {
  name: WALLET_STATUS,
  title: 'Wallet, caps and remaining budget',
  description:
    'Says what the local wallet that pays for the priced tools here holds, what it has spent ' +
    'today, what is left, and its caps per call, per day and per tool. Free; it changes nothing.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  outputSchema: z.toJSONSchema(Status, { target: 'draft-7' }),
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
} as const;

/** Answers the tool. */
export async function walletStatus(deps: CallerDeps): Promise<ToolResult> {
  const status = await read(deps);
  const { caps } = status;
  const tools = Object.entries(caps.per_tool).map(
    ([name, cap]) => `; ${name} $${cap.amount} a day`,
  );
  const held = status.balance === null ? 'an unknown amount' : `$${status.balance.amount}`;
  const place = status.network === null ? '' : ` on ${status.network}`;
  const lines = [
    `$${status.left_today.amount} of $${caps.per_day.amount} left today; ` +
      `$${status.spent_today.amount} spent or held.`,
    `Caps: $${caps.per_call.amount} a call, $${caps.per_day.amount} a day${tools.join('')}.`,
    `Wallet ${status.address} holds ${held}${place}.`,
    ...status.undecided.map(
      ({ tool, amount, since }) => `Undecided: $${amount.amount} for ${tool} since ${since}.`,
    ),
  ];
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: JSON.parse(JSON.stringify(status)) as JsonObject,
  };
}

async function read(deps: CallerDeps): Promise<Status> {
  const { wallet, ledger, payees, payee, server, wanted } = deps;
  const setting = deps.setting();
  await sweepLapsed(ledger, setting);
  const caps = capsIn(setting, wanted);
  const purse = setting?.purse;
  const balance =
    purse === undefined ? undefined : await setting?.look?.balanceOf(purse.asset, wallet.address);
  const known = purse === undefined ? undefined : payees.known(server, purse.network);
  return {
    address: wallet.address,
    network: purse?.network ?? null,
    asset: purse?.asset ?? null,
    balance: balance === undefined ? null : money(balance.toString()),
    server,
    pay_to: payee ?? known ?? null,
    spent_today: money(ledger.today('').day.toString()),
    left_today: money(leftToday(ledger, caps)),
    caps: {
      per_call: money(caps.perCall),
      per_day: money(caps.perDay),
      per_tool: Object.fromEntries(
        Object.entries(caps.perTool).map(([name, cap]) => [name, money(cap)]),
      ),
    },
    undecided: ledger
      .entries()
      .filter(({ isAdmitted, last }) => isAdmitted && isUndecided(last.outcome))
      .slice(-UNDECIDED_MAX)
      .map(({ reserved: { tool, amount, time } }) => ({
        tool,
        amount: money(amount),
        since: time,
      })),
  };
}

function isUndecided(outcome: string): boolean {
  return outcome === 'reserved' || outcome === 'doubtful';
}
