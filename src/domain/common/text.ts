/** Removes the given characters from the end of a text, in time linear in what is removed. */
export function trimEndChars(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Joins the lines of a text with single spaces. */
export function joinLines(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}
