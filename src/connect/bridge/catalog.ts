import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { formatUsd, MicroUsdText } from '../../domain/common/money.ts';
import type { Caps } from '../ledger/caps.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** A tool as the server lists it; unknown fields pass through unchanged. */
const ListedTool = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  annotations: z.looseObject({}).optional(),
  _meta: z.looseObject({}).optional(),
});
/** A listed tool with all its fields. */
export type Listed = z.infer<typeof ListedTool>;

const Page = z.looseObject({ tools: z.array(ListedTool), nextCursor: z.string().optional() });
const Price = z.looseObject({ micro_usd: MicroUsdText });

/** Most pages read from one list. */
const PAGES_MAX = 50;

/** Cache of the server's tool list. */
export class Catalog {
  readonly #upstream: Upstream;
  readonly #patienceMs: number;
  #tools: readonly Listed[] | undefined;

  /** @param patienceMs - How long a listing waits for an unreachable server, in milliseconds. */
  constructor(upstream: Upstream, patienceMs: number) {
    this.#upstream = upstream;
    this.#patienceMs = patienceMs;
  }

  /**
   * Fetches the tool list and replaces the cached one.
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

  /** Returns a tool of the cached list; fetches the list if none is cached. */
  async find(name: string, signal: AbortSignal): Promise<Listed | undefined> {
    const tools = this.#tools ?? (await this.refresh(signal));
    return tools.find((tool) => tool.name === name);
  }

  async #page(cursor: string | undefined, signal: AbortSignal): Promise<z.infer<typeof Page>> {
    const answer = await this.#upstream.request({
      method: 'tools/list',
      params: cursor === undefined ? {} : { cursor },
      signal,
      isRepeatable: true,
      patienceMs: this.#patienceMs,
    });
    const page = 'result' in answer ? Page.safeParse(answer.result).data : undefined;
    if (page !== undefined) return page;
    throw new AppError('EGRESS_FAILED', {
      message: 'The server did not return a valid tool list.',
    });
  }
}

/** Returns the listed price of a tool in micro-dollars; `undefined` if none is listed. */
export function readPrice(tool: Listed | undefined): MicroUsdText | undefined {
  return Price.safeParse(tool?._meta?.['price']).data?.micro_usd;
}

/** Returns true if a call may be sent twice. An unpaid call of a priced tool does no work. */
export function isRepeatable(tool: Listed | undefined): boolean {
  const { readOnlyHint, idempotentHint } = tool?.annotations ?? {};
  return readOnlyHint === true || idempotentHint === true || readPrice(tool) !== undefined;
}

/** Adds the price and the spending limits to the description of a priced tool. */
export function addPriceText(tool: Listed, caps: Caps): Listed {
  const price = readPrice(tool);
  if (price === undefined) return tool;
  const [cost, call, day] = [price, caps.perCall, caps.perDay].map(
    (amount) => `$${formatUsd(BigInt(amount))}`,
  );
  const limits = `up to ${call} per call and ${day} per day`;
  const words = `Costs ${cost} per call. The local wallet pays automatically, ${limits}.`;
  return { ...tool, description: `${tool.description ?? ''}\n\n${words}`.trim() };
}
