import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { formatUsd, MicroUsdText } from '../../domain/common/money.ts';
import type { Caps } from '../ledger/caps.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** A tool as the server lists it; what is not named here is passed on as it came. */
const Listed = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  annotations: z.looseObject({}).optional(),
  _meta: z.looseObject({}).optional(),
});
/** See {@link Listed}. */
export type Listed = z.infer<typeof Listed>;

const Page = z.looseObject({ tools: z.array(Listed), nextCursor: z.string().optional() });
const Price = z.looseObject({ micro_usd: MicroUsdText });

/** Most pages of a list that are read. */
const PAGES_MAX = 50;

/** What the server sells, as it last said. */
export class Catalog {
  readonly #upstream: Upstream;
  readonly #patienceMs: number;
  #tools: readonly Listed[] | undefined;

  /** @param patienceMs - How long a listing waits for a server that is away. */
  constructor(upstream: Upstream, patienceMs: number) {
    this.#upstream = upstream;
    this.#patienceMs = patienceMs;
  }

  /**
   * Asks the server for its tools.
   *
   * @throws {AppError} `SERVER_UNREACHABLE`, `EGRESS_FAILED`
   */
  async refresh(signal: AbortSignal): Promise<readonly Listed[]> {
    const tools: Listed[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const read = await this.#page(cursor, signal);
      tools.push(...read.tools);
      cursor = read.nextCursor;
      if (cursor === undefined) break;
    }
    this.#tools = tools;
    return tools;
  }

  /** A tool of the last list; the list is read when there is none yet. */
  async find(name: string, signal: AbortSignal): Promise<Listed | undefined> {
    const tools = this.#tools ?? (await this.refresh(signal));
    return tools.find((tool) => tool.name === name);
  }

  async #page(cursor: string | undefined, signal: AbortSignal): Promise<z.infer<typeof Page>> {
    const answer = await this.#upstream.ask({
      method: 'tools/list',
      params: cursor === undefined ? {} : { cursor },
      signal,
      isRepeatable: true,
      patienceMs: this.#patienceMs,
    });
    const page = 'result' in answer ? Page.safeParse(answer.result).data : undefined;
    if (page !== undefined) return page;
    throw new AppError('EGRESS_FAILED', { message: 'The server does not list its tools.' });
  }
}

/** The listed price of a tool in micro-dollars; `undefined` when it names none. */
export function priceOf(tool: Listed | undefined): MicroUsdText | undefined {
  return Price.safeParse(tool?._meta?.['price']).data?.micro_usd;
}

/** Whether a call may be sent twice: nothing is done by a call that only asks for its price. */
export function isRepeatable(tool: Listed | undefined): boolean {
  const { readOnlyHint, idempotentHint } = tool?.annotations ?? {};
  return readOnlyHint === true || idempotentHint === true || priceOf(tool) !== undefined;
}

/** The tool as the MCP client sees it: a priced one says what it costs and who pays. */
export function withPrice(tool: Listed, caps: Caps): Listed {
  const price = priceOf(tool);
  if (price === undefined) return tool;
  const [cost, call, day] = [price, caps.perCall, caps.perDay].map(
    (amount) => `$${formatUsd(BigInt(amount))}`,
  );
  const limits = `up to ${call} a call and ${day} a day`;
  const words = `Costs ${cost} a call. The local wallet pays by itself ${limits}.`;
  return { ...tool, description: `${tool.description ?? ''}\n\n${words}`.trim() };
}
