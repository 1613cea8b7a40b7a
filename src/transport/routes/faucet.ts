import { z } from 'zod';
import { AppError, ERRORS, errorBody, toAppError } from '../../domain/common/error.ts';
import { tryParseJson } from '../../domain/common/json.ts';
import { formatMicroUsd, type MicroUsdText, parseUsd } from '../../domain/common/money.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import type { HttpReply } from '../http/host.ts';

/** Largest amount per call, in dollars. */
export const FAUCET_USD_MAX = '1000';

const BODY_BYTES_MAX = 1_024;
const FaucetBody = z.strictObject({ to: z.string().regex(/^0x[0-9a-fA-F]{40}$/), usd: z.string() });

/** Sends test money to an address. */
export type SendTestMoney = (
  to: string,
  amount: MicroUsdText,
) => Promise<{ readonly transaction: string }>;

/**
 * Creates `POST /dev/faucet {to, usd}` (operator token), which sends test money on the local chain.
 */
export function faucetRoute(give: SendTestMoney): FrontRoute {
  return plainRoute(
    { methods: ['POST'], path: '/dev/faucet', access: 'operator', bodyBytesMax: BODY_BYTES_MAX },
    async (_request, body) => {
      try {
        const { to, amount } = parseBody(body);
        return json(200, { to, usd: amount.usd, ...(await give(to, amount.micro)) });
      } catch (thrown) {
        const error = toAppError(thrown);
        return json(ERRORS[error.code].status, errorBody(error));
      }
    },
  );
}

function parseBody(body: Buffer): { to: string; amount: { usd: string; micro: MicroUsdText } } {
  const text = body.toString('utf8');
  const parsed = FaucetBody.safeParse(tryParseJson(text));
  if (!parsed.success) {
    throw new AppError('INPUT_INVALID', {
      message: 'The body must be {"to": "0x…", "usd": "10"}.',
      data: { received: text.slice(0, 200), allowed: { to: '0x and 40 hex digits', usd: '10' } },
    });
  }
  const amount = parseUsd(parsed.data.usd);
  if (amount <= 0n || amount > parseUsd(FAUCET_USD_MAX)) {
    throw new AppError('INPUT_INVALID', {
      message: `\`usd\` must be more than 0 and at most ${FAUCET_USD_MAX}.`,
      data: { received: parsed.data.usd, allowed: `0.000001 to ${FAUCET_USD_MAX}` },
    });
  }
  return { to: parsed.data.to, amount: { usd: parsed.data.usd, micro: formatMicroUsd(amount) } };
}

function json(status: number, value: unknown): HttpReply {
  const headers = ['content-type', 'application/json', 'cache-control', 'no-store'];
  return { status, headers, body: JSON.stringify(value) };
}
