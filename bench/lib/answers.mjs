/** What a call of a bench tool answers: one short text, the same as structured content. */
export function resultOf(name, input) {
  const answer = name === 'echo' ? input.message : 'done';
  return { content: [{ type: 'text', text: answer }], structuredContent: { answer } };
}
