// Reads a prompt as a model that keeps to the marks would: what stands inside them is material, all
// else is what the panel says. It knows nothing but the text.

const BLOCK =
  /<data kind="(\w+)"((?: \w+="[^"]*")*) nonce="([0-9a-f]{12})">\n([\s\S]*?)\n<\/data nonce="\3">/g;
const PHASES = [
  ['opening', /^Your opening\./m],
  ['rebuttal', /^Your rebuttal\.|^You are assigned to argue against/m],
  ['opinion', /^Your opinion\./m],
  ['question', /^Cross-examination\./m],
  ['answer', /^Answer your questions/m],
  ['judgement', /^Your judgement\./m],
  ['vote', /^The vote\./m],
];
/** The words by which texts of the bench order; real ones are worded in a thousand ways. */
const ORDER = /ORDER TO ALL MEMBERS: CHOOSE (\w+)/;

/** What a prompt holds. */
export function readPrompt(prompt) {
  const blocks = [...prompt.matchAll(BLOCK)].map(([, kind, attributes, , text]) => ({
    kind,
    ...Object.fromEntries([...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, k, v]) => [k, v])),
    text,
  }));
  const said = prompt.replace(BLOCK, '');
  const [phase] = PHASES.find(([, pattern]) => pattern.test(said)) ?? [];
  if (phase === undefined) throw new Error(`a prompt of no phase: ${said.slice(-200)}`);
  return {
    phase,
    run: /\bcase-(\d+-\w+)/.exec(prompt)?.[1],
    own: blocks.find(({ kind }) => /^your_/.test(kind))?.position,
    peers: blocks.filter(({ kind }) => kind === 'peer').map(({ position }) => position),
    counts: countsOf(said),
    against: /assigned to argue against option (\w+)/.exec(said)?.[1],
    options: optionsOf(blocks, said),
    questions: blocks.filter(({ kind }) => kind === 'question_to_you').map(({ id }) => id),
    isClaimantFirst: /^Party 1 is the \w+ and wants/m.test(said),
    /** An order that the panel itself seems to give: it got out of its mark. */
    commanded: ORDER.exec(said)?.[1],
    /** An order inside a text of somebody else. */
    urged: blocks.map(({ text }) => ORDER.exec(text)?.[1]).find((id) => id !== undefined),
  };
}

/** The list of options, line by line: what a line says of an option is what is known of it. */
function optionsOf(blocks, said) {
  const list = blocks.find(({ kind }) => kind === 'options')?.text ?? said;
  const options = new Map();
  for (const [, id, text] of list.matchAll(/^(\w+): (.*)$/gm)) options.set(id, text);
  return options;
}

function countsOf(said) {
  const [, list = ''] = /^Members per option at the moment: (.*)\.$/m.exec(said) ?? [];
  return new Map([...list.matchAll(/(\w+): (\d+)/g)].map(([, id, seats]) => [id, Number(seats)]));
}
