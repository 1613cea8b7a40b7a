import { LRUCache } from 'lru-cache';
import robotsParser from 'robots-parser';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import {
  createDataFailure,
  type DataFailure,
  toDataFailure,
} from '../../domain/data/data-failure.ts';
import type { EgressPort } from '../../domain/net/egress.ts';

/** User agent name for rules in robots.txt. */
export const ROBOT_NAME = 'stoa';
/** How long rules are cached, in milliseconds (RFC 9309 allows at most a day). */
export const RULES_CACHE_MS = 24 * HOUR_MS;
/** Most hosts with cached rules. */
export const CACHED_RULES_MAX = 1_000;
/** Most bytes of a robots.txt that are read. Rules beyond them are ignored (RFC 9309). */
export const RULES_BYTES_MAX = 512_000;
/** Longest crawl delay that is honoured, in milliseconds. */
export const CRAWL_DELAY_MAX_MS = 10 * SECOND_MS;

/** The permission of a host for one URL. */
export type RobotsPermission =
  | { readonly allowed: true; readonly line: number | null; readonly delayMs: number }
  | { readonly allowed: false; readonly fault: DataFailure };

/** The package's types declare its function as a member, but it is the module itself. */
const robotsModule: unknown = robotsParser;
const parseRobots = robotsModule as (url: string, text: string) => HostRules;

interface HostRules {
  isDisallowed(url: string, robot: string): boolean | undefined;
  getMatchingLineNumber(url: string, robot: string): number;
  getCrawlDelay(robot: string): number | undefined;
}

type Rules = HostRules | 'all';

/** A cache of robots.txt rules by RFC 9309: 4xx allows everything, no answer allows nothing. */
export class RobotsRules {
  readonly #kept: LRUCache<string, Rules>;
  readonly #egress: EgressPort;

  constructor(egress: EgressPort, clock: Clock) {
    this.#egress = egress;
    this.#kept = new LRUCache({
      max: CACHED_RULES_MAX,
      ttl: RULES_CACHE_MS,
      ttlResolution: 0,
      perf: clock,
    });
  }

  /** Checks whether a URL may be read. Never throws for a failing host. */
  async check(url: URL, totalTimeoutMs: number): Promise<RobotsPermission> {
    let rules: Rules;
    try {
      rules = await this.#rulesOf(url, totalTimeoutMs);
    } catch (thrown) {
      const { detail, ...fault } = toDataFailure('web', thrown);
      return { allowed: false, fault: { ...fault, detail: `robots.txt: ${detail}`.slice(0, 200) } };
    }
    if (rules === 'all') return { allowed: true, line: null, delayMs: 0 };
    const line = rules.getMatchingLineNumber(url.href, ROBOT_NAME);
    if (rules.isDisallowed(url.href, ROBOT_NAME) === true) {
      const detail = `Line ${line} of robots.txt disallows this URL.`;
      return {
        allowed: false,
        fault: createDataFailure('robots_disallowed', { upstream: 'web', detail }),
      };
    }
    const delayMs = (rules.getCrawlDelay(ROBOT_NAME) ?? 0) * SECOND_MS;
    const isLine = line > 0;
    return { allowed: true, line: isLine ? line : null, delayMs: limitDelay(delayMs) };
  }

  async #rulesOf({ origin }: URL, totalTimeoutMs: number): Promise<Rules> {
    const kept = this.#kept.get(origin);
    if (kept !== undefined) return kept;
    const address = `${origin}/robots.txt`;
    const { status, body } = await this.#egress.fetch({
      url: address,
      method: 'GET',
      headers: { accept: 'text/plain' },
      maxBytes: RULES_BYTES_MAX,
      truncate: true,
      totalTimeoutMs,
      redirectsMax: 5,
    });
    if (status >= 500 || (status < 400 && status >= 300) || status === 429) {
      throw new AppError('EGRESS_FAILED', { data: { kind: 'status', code: `HTTP ${status}` } });
    }
    const text = new TextDecoder().decode(body);
    const rules = status >= 400 ? 'all' : parseRobots(address, text);
    this.#kept.set(origin, rules);
    return rules;
  }
}

function limitDelay(delayMs: number): number {
  return Number.isFinite(delayMs) ? Math.min(CRAWL_DELAY_MAX_MS, Math.max(0, delayMs)) : 0;
}
