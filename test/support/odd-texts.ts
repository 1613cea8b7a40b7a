type Answer = Readonly<Record<string, unknown>>;
type Names = Readonly<Record<string, string>>;

const write = (value: unknown, space?: number) => JSON.stringify(value, null, space);
const mapKeys = (answer: Answer, change: (key: string) => string) =>
  Object.fromEntries(Object.entries(answer).map(([key, value]) => [change(key), value]));

/** Writes the option of a stand, and all options of a ballot, in another way. */
function renamed(answer: Answer, change: (id: string) => unknown): Answer {
  const { position, ranking } = answer;
  return {
    ...answer,
    ...(typeof position === 'string' ? { position: change(position) } : {}),
    ...(Array.isArray(ranking) ? { ranking: ranking.map((id) => change(String(id))) } : {}),
  };
}

function withMember(answer: Answer, name: string, value: unknown): string {
  return write(name in answer ? { ...answer, [name]: value } : answer);
}

/** Another answer than the given one, as a draft would be. */
function draft(answer: Answer): string {
  const ranking = Array.isArray(answer['ranking']) ? [...answer['ranking']].reverse() : undefined;
  return write({
    ...answer,
    ...(ranking === undefined ? {} : { ranking }),
    translation: 'A draft.',
  });
}

/** Ways in which models write one and the same answer. */
export const ODD_TEXTS: Readonly<Record<string, (answer: Answer, names: Names) => string>> = {
  'in a fence': (answer) => `\`\`\`json\n${write(answer, 1)}\n\`\`\``,
  'in a fence with words': (answer) =>
    `Here it is:\n\`\`\`json\n${write(answer)}\n\`\`\`\nTell me if {you} need more.`,
  'with a byte order mark': (answer) => `\uFEFF${write(answer)}`,
  'with a comment': (answer) => write(answer, 1).replace('{', '{ // my pick\n'),
  'with a last comma': (answer) => write(answer).replace(/}$/, ',}'),
  'in single quotes': (answer) => write(answer).replaceAll('"', "'"),
  'as Python': (answer) =>
    write(answer).replaceAll('"', "'").replaceAll('false', 'False').replaceAll('null', 'None'),
  'in curly quotes': (answer) => write(answer).replaceAll(/"([^"]*)"/g, '\u201c$1\u201d'),
  'without its last bracket': (answer) => write(answer).replace(/}$/, ''),
  'with a raw line break': (answer) => withMember(answer, 'argument', 'one@two').replace('@', '\n'),
  'with quotes inside': (answer) =>
    withMember(answer, 'argument', 'They say @no@, and mean it.').replaceAll('@', '"'),
  'in capitals': (answer) =>
    write(mapKeys(answer, (key) => `${key[0]?.toUpperCase()}${key.slice(1)}`)),
  'in snakes': (answer) =>
    write(mapKeys(answer, (key) => key.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`))),
  'in one member': (answer) => write({ answer }),
  'in a list': (answer) => write([answer]),
  'as a text of a text': (answer) => write(write(answer)),
  'behind thinking': (answer) => `<think>Perhaps ${draft(answer)} first.</think>${write(answer)}`,
  'behind thinking without a beginning': (answer) =>
    `Perhaps ${draft(answer)} first.\n</think>\n\n${write(answer)}`,
  'behind thinking in brackets': (answer) =>
    `[THINK]Perhaps ${draft(answer)}[/THINK]\n${write(answer)}`,
  'behind a channel': (answer) =>
    `<|channel|>analysis<|message|>${draft(answer)}<|end|><|channel|>final<|message|>${write(answer)}`,
  'behind many braces': (answer) => `${'so \\frac{a}{b} '.repeat(40)}\n${write(answer)}`,
  'percent as a number': (answer) => withMember(answer, 'confidence', 85),
  'percent as a text': (answer) => withMember(answer, 'confidence', '85 %'),
  'a number as a text': (answer) => withMember(answer, 'confidence', '0,8'),
  'no list': (answer) => withMember(answer, 'evidenceIds', null),
  'a list as a word': (answer) =>
    withMember(
      answer,
      'evidenceIds',
      (answer['evidenceIds'] as unknown[] | undefined)?.[0] ?? 'none',
    ),
  'a citation too many': (answer) =>
    withMember(answer, 'evidenceIds', [...((answer['evidenceIds'] as []) ?? []), 'background']),
  'too long': (answer) => withMember(answer, 'argument', 'word '.repeat(300)),
  'an id with its name': (answer, names) =>
    write(renamed(answer, (id) => (names[id] === undefined ? id : `${id}: ${names[id]}`))),
  'an id in brackets': (answer) => write(renamed(answer, (id) => `[${id}]`)),
  'an id behind a word': (answer) => write(renamed(answer, (id) => `Option ${id}`)),
  'a name with its id': (answer, names) =>
    write(renamed(answer, (id) => (names[id] === undefined ? id : `${names[id]} (${id})`))),
  'a name with other signs': (answer, names) =>
    write(
      renamed(answer, (id) =>
        (names[id] ?? id).replaceAll(' ', '\u00a0').replaceAll('-', '\u2011'),
      ),
    ),
  'objects in a ranking': (answer) =>
    Array.isArray(answer['ranking'])
      ? write({
          ...answer,
          ranking: answer['ranking'].map((option, at) => ({ option, rank: at + 1 })),
        })
      : write(answer),
  'a ranking as a text': (answer) =>
    Array.isArray(answer['ranking'])
      ? write({ ...answer, ranking: answer['ranking'].join(' > ') })
      : write(answer),
  'an option twice': (answer) =>
    Array.isArray(answer['ranking'])
      ? write({ ...answer, ranking: [answer['ranking'][0], ...answer['ranking']] })
      : write(answer),
  'an option too many': (answer) =>
    Array.isArray(answer['ranking'])
      ? write({ ...answer, ranking: [...answer['ranking'], 'o9'] })
      : write(answer),
};
