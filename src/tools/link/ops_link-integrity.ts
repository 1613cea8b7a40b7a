import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { AppError } from '../../domain/common/error.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { ACCEPT_CHARS_MAX, ACCEPT_DEFAULT, parseAccept } from '../../domain/link/accept.ts';
import { LinkReport } from '../../domain/link/records.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { runInLanes } from '../job/run-in-lanes.ts';
import { OPEN_WORLD_READ_HINTS } from '../service/annotations.ts';
import { type CheckedLink, checkLink, type LinkChecker } from './check-link.ts';
import { type FoundLink, findLinks, mergeLinks, toLinks } from './find-links.ts';
import { toDataAnswer } from './link-answer.ts';

/** Maximum number of links per call. */
export const LINKS_MAX = 200;
/** Maximum characters of a text to search for links. */
export const TASK_TEXT_CHARS_MAX = 50_000;
/** Time limit for all links together, in milliseconds; clients give up after 60 s. */
export const LINKS_TOTAL_MS = 45_000;
/** Concurrent links, in total and per host. */
const AT_ONCE = { total: 16, perHost: 2 } as const;
const URL_CHARS_MAX = 2_048;

const Input = z.strictObject({
  task_text: z
    .string()
    .max(TASK_TEXT_CHARS_MAX)
    .optional()
    .describe('Text in any markup; the tool checks every http and https link in it.'),
  urls: z
    .array(z.string().max(URL_CHARS_MAX))
    .max(LINKS_MAX)
    .optional()
    .describe(`Absolute http or https URLs; at most ${LINKS_MAX} together with those in the text.`),
  accept: z
    .string()
    .max(ACCEPT_CHARS_MAX)
    .default(ACCEPT_DEFAULT)
    .describe('Status codes that count as working, such as 200..=206,304.')
    .meta(ADVANCED),
  timeout_s: z
    .number()
    .min(1)
    .max(20)
    .default(10)
    .describe('Timeout of one request, in seconds.')
    .meta(ADVANCED),
  max_redirects: z
    .int()
    .min(0)
    .max(10)
    .default(5)
    .describe('Maximum redirects per link.')
    .meta(ADVANCED),
  check_fragments: z
    .enum(['none', 'anchor'])
    .default('none')
    .describe('anchor: a link to page#part works only if the page has that anchor.')
    .meta(ADVANCED),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.01';
const DESCRIPTION = [
  'Check every http and https link in a text or a list, by HEAD, then GET, following redirects.',
  'Returns PASS, FAIL or UNKNOWN with status code, class and final address per link. Up to',
  `${LINKS_MAX} distinct links and ${LINKS_TOTAL_MS / SECOND_MS} s per call. One broken link`,
  'makes the verdict FAIL. Rate-limited (429), unchecked and non-public addresses are UNKNOWN and',
  'listed as missing. With check_fragments, each anchor must exist in its page. Every host',
  'response is a source with time and SHA-256. To read one page use data_web-extract.',
  `$${PRICE_USD} per call. You are not charged if no host responds, for example when this service`,
  'has no internet access.',
].join(' ');

const NAME = 'ops_link-integrity';

/** Creates the tool `ops_link-integrity`. */
export function linkIntegrityTool(deps: Pick<Services, 'clock' | 'egress' | 'trust'>): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Link integrity check',
    description: DESCRIPTION,
    summary:
      'Check up to 200 links in a text or list: PASS, FAIL or UNKNOWN each. To read a ' +
      'page use data_web-extract. No charge if no host responds.',
    example: { urls: ['https://example.org/'] },
    annotations: OPEN_WORLD_READ_HINTS,
    input: Input,
    output: dataResultSchema(LinkReport),
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => {
      parseAccept(input.accept);
      return { links: collectLinks(input).length };
    },
    run: (input, context) => run(input, context, deps),
  };
}

async function run(
  input: Input,
  context: ToolContext,
  deps: Pick<Services, 'clock' | 'egress' | 'trust'>,
): Promise<ToolResult> {
  const links = collectLinks(input);
  const stop = new AbortController();
  const off = deps.clock.at(deps.clock.now() + LINKS_TOTAL_MS, () => stop.abort());
  const checker: LinkChecker = {
    ...deps,
    accepted: parseAccept(input.accept),
    timeoutMs: input.timeout_s * SECOND_MS,
    redirectsMax: input.max_redirects,
    hasAnchors: input.check_fragments === 'anchor',
    signal: stop.signal,
  };
  try {
    return createDataResult(
      deps,
      context,
      toDataAnswer(NAME, await checkAll(links, checker, context), deps),
    );
  } finally {
    off();
  }
}

async function checkAll(
  links: readonly FoundLink[],
  checker: LinkChecker,
  context: ToolContext,
): Promise<readonly CheckedLink[]> {
  const findings = new Map<FoundLink, CheckedLink>();
  const key = (link: FoundLink) => link.address?.host ?? '';
  await runInLanes(links, { total: AT_ONCE.total, perKey: AT_ONCE.perHost, key }, async (link) => {
    const finding = await checkLink(link, checker);
    findings.set(link, finding);
    const shown = `${finding.status ?? finding.class} ${finding.normalized}`.slice(0, 200);
    context.progress({ progress: findings.size, total: links.length, message: shown });
  });
  return links.flatMap((link) => findings.get(link) ?? []);
}

function collectLinks(input: Input): readonly FoundLink[] {
  const given = toLinks(input.urls ?? []);
  for (const link of given) requireHttp(link);
  const links = mergeLinks([...given, ...findLinks(input.task_text ?? '', LINKS_MAX)]);
  if (links.length === 0) throw inputError('The call has no http or https link to check.', {});
  if (links.length > LINKS_MAX) {
    throw inputError(`The call has more than ${LINKS_MAX} distinct links. Split it.`, {
      received: links.length,
      allowed: LINKS_MAX,
    });
  }
  return links;
}

function requireHttp(link: FoundLink): void {
  if (link.address !== null && /^https?:$/.test(link.address.protocol)) return;
  throw inputError('An entry of `urls` is not an absolute http or https URL.', {
    received: link.url,
  });
}

function inputError(message: string, data: Record<string, unknown>): AppError {
  return new AppError('INPUT_INVALID', { message, data });
}
