/** Reads the strings among the arguments of a traced call: `"\x61\x62"`. */
export function stringsOf(args: string): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let open = args.indexOf('"'); open !== -1; ) {
    const close = args.indexOf('"', open + 1);
    if (args.startsWith('...', close + 1)) throw new Error('the trace cuts what is written');
    found.push(Buffer.from(args.slice(open + 1, close).replaceAll('\\x', ''), 'hex'));
    open = args.indexOf('"', close + 1);
  }
  return found;
}

/** Reads a path: the first, or another, string of a traced call. */
export function pathOf(args: string, at = 0): string {
  return stringsOf(args)[at]?.toString('utf8') ?? '';
}

/** Reads the first number: that of the file in most calls. */
export function numberOf(args: string): number {
  return Number.parseInt(args, 10);
}

/** Reads the last number of a call's arguments, such as the offset of a write. */
export function lastNumberOf(args: string): number {
  const tail = args.slice(-200).replace(/(?: <unfinished \.\.\.>|\) += .*)$/, '');
  return Number(/(\d+)$/.exec(tail)?.[1]);
}
