import { joinPattern } from '../join-pattern.ts';
import type { Definition, Recon } from '../probe/recon.ts';
import { splitName } from '../probe/tool-verbs.ts';
import { revealHidden } from './hidden-characters.ts';

/** A tool that imitates another or interferes with its calls. */
export interface Lookalike {
  readonly tool: string;
  readonly other: string;
  readonly why: string;
}

/** Well-known tool and server names that an attacker may imitate. */
const KNOWN_NAMES = [
  ...['read_file', 'write_file', 'edit_file', 'list_directory', 'search_files', 'create_issue'],
  ...['send_email', 'send_message', 'web_search', 'search_web', 'fetch_url', 'run_command'],
  ...['create_pull_request', 'get_file_contents', 'query_database', 'execute_sql', 'git_commit'],
  ...['git_status', 'slack_post_message', 'create_event', 'browser_navigate', 'memory_search'],
  ...['filesystem', 'github', 'gitlab', 'slack', 'postgres', 'stripe', 'paypal', 'notion'],
  ...['sequential_thinking', 'puppeteer', 'playwright', 'anthropic', 'openai', 'cloudflare'],
  ...['atlassian', 'dropbox', 'salesforce', 'hubspot', 'shopify', 'twilio', 'sendgrid'],
];
/** Phrases by which a tool replaces another or alters its calls. */
const TAKES_OVER = joinPattern(
  'i',
  '\\b(?:instead of|in place of|rather than|replaces?|supersedes?|do not use|',
  "don't use|never use|avoid|before (?:calling|using|any)|after (?:calling|",
  'using|any)|when(?:ever)?|every time|each time|always|must|also|deprecated|',
  'broken|change|modify|alter|redirect|forward|bcc|recipient|first)\\b',
);

/**
 * Finds tools that imitate other listed or well-known tools, and tools that give orders about
 * others.
 */
export function findLookalikes(recon: Pick<Recon, 'tools' | 'greeting'>): readonly Lookalike[] {
  const { tools, greeting } = recon;
  const server = greeting?.serverInfo.name ?? '';
  return [
    ...findTwins(tools),
    ...findImitations(tools),
    ...findServerImitations(server),
    ...findInterference(tools),
  ];
}

function findTwins(tools: readonly Definition[]): readonly Lookalike[] {
  const found: Lookalike[] = [];
  for (const [at, tool] of tools.entries()) {
    for (const other of tools.slice(at + 1)) {
      const isSame = tool.name === other.name;
      const isAlike = !isSame && toSkeleton(tool.name) === toSkeleton(other.name);
      const isNear = !isSame && !isAlike && isTypo(tool.name, other.name);
      if (!isSame && !isAlike && !isNear) continue;
      const why = isSame ? 'has the same name' : 'has a name that is easily confused with it';
      found.push({ tool: other.name, other: tool.name, why });
    }
  }
  return found;
}

function findImitations(tools: readonly Definition[]): readonly Lookalike[] {
  return tools.flatMap(({ name }) => {
    const plain = splitName(revealHidden(name)).join('_');
    const match = KNOWN_NAMES.find(
      (known) => plain !== known && toSkeleton(plain) === toSkeleton(known) && name !== known,
    );
    const near = match ?? KNOWN_NAMES.find((known) => known.length > 5 && isTypo(plain, known));
    const isDisguised = near === undefined && revealHidden(name) !== name;
    if (isDisguised) {
      return [{ tool: name, other: revealHidden(name), why: 'mixes letters of two scripts' }];
    }
    if (near === undefined) return [];
    return [{ tool: name, other: near, why: 'differs from it by one letter' }];
  });
}

function findServerImitations(server: string): readonly Lookalike[] {
  const words = splitName(revealHidden(server));
  const near = KNOWN_NAMES.find(
    (known) => known.length > 5 && words.some((word) => word !== known && isTypo(word, known)),
  );
  if (near === undefined) return [];
  return [{ tool: server, other: near, why: 'differs from it by one letter' }];
}

/** Finds descriptions that give orders about calls of other tools. */
function findInterference(tools: readonly Definition[]): readonly Lookalike[] {
  const names = [...new Set([...tools.map(({ name }) => name), ...KNOWN_NAMES])].filter((name) =>
    /[_-]|[a-z][A-Z]/.test(name),
  );
  return tools.flatMap((tool) => {
    const descriptionText = revealHidden(JSON.stringify(tool['description'] ?? ''));
    const other = names.find((name) => name !== tool.name && mentions(descriptionText, name));
    if (other === undefined) return [];
    const sentence =
      descriptionText.split(/(?<=[.!?])\s+/).find((one) => mentions(one, other)) ?? '';
    if (!ORDER_WORDS.test(sentence) || !TAKES_OVER.test(sentence)) return [];
    return [{ tool: tool.name, other, why: 'gives orders about its calls' }];
  });
}

const ORDER_WORDS = joinPattern(
  'i',
  "\\b(?:must|always|never|do not|don't|required|mandatory|instead|deprecated|",
  'broken|bcc|recipient|change|replace|set|also|forbidden|disabled|unsafe|copy|',
  'forward|ignore)\\b',
);

function mentions(text: string, name: string): boolean {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`).test(text);
}

/** Returns a skeleton that is equal for names that look alike. */
function toSkeleton(name: string): string {
  return splitName(revealHidden(name))
    .join('')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w')
    .replace(/[1l|]/g, 'i')
    .replace(/0/g, 'o')
    .replace(/5/g, 's');
}

/**
 * Detects one inserted, deleted, replaced or two swapped letters. Endings such as plurals do not
 * count.
 */
function isTypo(left: string, right: string): boolean {
  const [short, long] = left.length <= right.length ? [left, right] : [right, left];
  if (short.length < 6 || long.length - short.length > 1 || left === right) return false;
  const isSpelling = left.replace('email', 'mail') === right.replace('email', 'mail');
  if (isSpelling || `${short}s` === long || /\d/.test(left + right)) return false;
  let head = 0;
  while (head < short.length && short[head] === long[head]) head += 1;
  const shortRest = short.slice(head);
  const longRest = long.slice(head);
  if (short.length < long.length) return shortRest === longRest.slice(1);
  if (shortRest.slice(1) === longRest.slice(1)) return isInsideWord(short, head);
  return (
    shortRest.slice(2) === longRest.slice(2) &&
    shortRest[0] === longRest[1] &&
    shortRest[1] === longRest[0]
  );
}

/** A changed letter at a word edge makes another word, not a typo. */
function isInsideWord(text: string, at: number): boolean {
  return at > 0 && at < text.length - 1 && /\w/.test(text[at - 1] ?? '');
}
