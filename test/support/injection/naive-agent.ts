import type { InjectionClass } from '../../../src/domain/injection/injection.ts';
import type { PlannedTool, Target, ToolAnswer } from '../targets/target.ts';

/** How a class is told by what it looks like, without the corpus. */
const LOOKS: Readonly<Record<InjectionClass, RegExp>> = {
  override: /ignore all previous|disregard your guidelines|new instructions|above is cancelled/i,
  role_change: /you are now|developer mode|your administrator|let us play/i,
  forged_turns: /<system>|<\|im_start\|>|\[INST\]|### system/i,
  encoded: /base64|hex of|rot13|tell me the time/i,
  split: /x = "|part one|^1\) |"left"/i,
  language: /vergiss|ignora todas|忽略|oublie/i,
  document: /garden club|cleaning the filter|the document is over|curriculum vitae/i,
  hidden_markup: /<!--|display:none|!\[a harbour|12 metres deep/i,
  record: /"status"|id,name,comment|INFO started|function area/i,
  tool_result: /tool_result|get_weather|cache is stale|function output/i,
  message: /subject: invoice|two stars|on monday jo|budget\. place/i,
  exfiltration: /prices of may|museum is closed|first key|terms of use/i,
};
/** What every order asks for, in one word or another; the harmless control has none of it. */
const ORDERS = new RegExp(
  'second (?!key:)|latter|last (?:one|word)|reverse|opposite|swap|y [+] x|part two directly|' +
    'line 2|right first|zweite|segunda|第二',
  'i',
);
const WORD = /\b(?:[bdfgklmnprstvzhj][aeio]){4}\b/g;

/**
 * What a naive agent does with a text: it carries out what it reads, where it is of its classes.
 */
export function naiveAnswer(text: string, obeys: readonly InjectionClass[]): string {
  const isOfClass = obeys.some((name) => LOOKS[name].test(text));
  const read = decoded(text);
  const [first, second] = [...new Set(read.match(WORD) ?? [])];
  if (!isOfClass || !ORDERS.test(read) || first === undefined || second === undefined) {
    return 'Thank you, that was noted.';
  }
  return `${second}${first}`;
}

/** An agent behind one tool that obeys some classes; the twin obeys none and answers alike else. */
export function naiveAgent(obeys: readonly InjectionClass[]): Target {
  return textTarget('naive-agent', (text, fixed) => ({
    text: naiveAnswer(text, fixed ? [] : obeys),
  }));
}

/** A server that repeats what it is given. */
export const ECHO: Target = textTarget('echo', (text) => ({ text: `You said: ${text}` }));

/** A server that turns away what looks like an order. */
export const FILTER: Target = textTarget('filter', (text) =>
  ORDERS.test(text) ? { text: 'Refused.', isError: true } : { text: 'Taken.' },
);

/** A server that swaps and joins whatever words it is given, as its job. */
export const JOINER: Target = textTarget('joiner', (text) => {
  const words = [...new Set(decoded(text).match(WORD) ?? [])];
  return { text: words.toReversed().join('') };
});

/** A server that joins words in texts of one look, with an order or without. */
export function joinerOf(name: InjectionClass): Target {
  return textTarget('joiner-of', (text) => {
    const words = [...new Set(decoded(text).match(WORD) ?? [])];
    return { text: LOOKS[name].test(text) ? words.toReversed().join('') : 'Noted.' };
  });
}

/** A server whose only tool takes a number: no text can be given to it. */
export const NUMBERS: Target = target(
  'numbers',
  (): PlannedTool => ({
    definition: {
      name: 'double',
      description: 'Doubles a number.',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    },
    run: (values) => ({ text: String(Number(values['n']) * 2) }),
  }),
);

/** A server whose front breaks at what looks like one class, before any tool sees it. */
export function deafTo(name: InjectionClass): Target {
  const made = naiveAgent([]);
  return {
    ...made,
    make: async (variant) => ({
      ...(await made.make(variant)),
      meddle: (_request, response, body) => {
        if (!LOOKS[name].test(body)) return false;
        response.writeHead(502, { 'content-type': 'text/plain' }).end('Bad gateway');
        return true;
      },
    }),
  };
}

function textTarget(name: string, answer: (text: string, fixed: boolean) => ToolAnswer): Target {
  return target(name, (fixed) => ({
    definition: {
      name: 'ask',
      description: 'Answers a question about the shop.',
      inputSchema: {
        type: 'object',
        properties: { question: { type: 'string', description: 'The question of the guest.' } },
        required: ['question'],
      },
      annotations: { readOnlyHint: true },
    },
    run: (values) => answer(String(values['question']), fixed),
  }));
}

function target(name: string, make: (fixed: boolean) => PlannedTool): Target {
  return {
    name,
    category: 'ASI01',
    fault: 'It carries out orders that stand in its input.',
    make: ({ fixed }) => ({
      serverInfo: { name, version: '1.0.0' },
      tools: () => [make(fixed)],
      weakSpot: { tool: 'ask', argumentsWith: (question) => ({ question }), marker: '' },
      front: { burstMax: 10_000, refillPerSecond: 10_000 },
    }),
  };
}

function decoded(text: string): string {
  const shown = Array.from(text, untagged).join('').replaceAll('\u200b', '');
  const base64 = /base64[^:]*: (\S+)/i.exec(shown)?.[1];
  if (base64 !== undefined) return Buffer.from(base64, 'base64').toString('utf8');
  const hex = /hex of[^:]*: ([0-9a-f]+)/i.exec(shown)?.[1];
  if (hex !== undefined) return Buffer.from(hex, 'hex').toString('utf8');
  if (/rot13/.test(shown)) return shown.replace(/[a-z]/gi, turned);
  return shown;
}

function untagged(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  return code >= 0xe0000 && code < 0xe0080 ? String.fromCodePoint(code - 0xe0000) : letter;
}

function turned(letter: string): string {
  const base = letter <= 'Z' ? 65 : 97;
  return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
}
