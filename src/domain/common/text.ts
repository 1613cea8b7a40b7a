/** Removes the given characters from the end of a text, in time linear in what is removed. */
export function trimEndChars(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Joins the lines of a text with single spaces. */
export function joinLines(text: string): string {
  if (!text.includes('\n')) return text;
  let joined = '';
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    const line = text.slice(from, to).trim();
    if (line !== '') joined += joined === '' ? line : ` ${line}`;
    from = to + 1;
  }
  return joined;
}
