import { rejectedSourceError } from './untrusted-folder.ts';

/** Limits of one commit: number of files, their total bytes, and bytes of one path. */
const TREE_FILES_MAX = 200_000;
const TREE_BYTES_MAX = 4 * 1024 ** 3;
const PATH_BYTES_MAX = 1_024;
/** Mode, type, id and size in front of a path. */
const HEAD_BYTES_MAX = 128;
const NUL = 0;

/**
 * Measures the output of `git ls-tree -r -l -z` and stops at the first limit. A commit of a few
 * kilobytes can reference the same folder millions of times.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export async function measureTree(printed: AsyncIterable<Buffer>): Promise<void> {
  let [files, bytes] = [0, 0];
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of printed) {
    const all = Buffer.concat([rest, piece]);
    let from = 0;
    for (let end = all.indexOf(NUL); end !== -1; end = all.indexOf(NUL, from)) {
      files += 1;
      const row = all.subarray(from, end);
      const tab = row.indexOf('\t');
      assertPathLength(row.length - tab - 1);
      bytes += parseSize(row.toString('latin1', 0, tab));
      from = end + 1;
    }
    rest = all.subarray(from);
    if (files > TREE_FILES_MAX)
      throw rejectedSourceError(`it has more than ${TREE_FILES_MAX} files`);
    if (bytes > TREE_BYTES_MAX)
      throw rejectedSourceError(`it has more than ${TREE_BYTES_MAX} bytes`);
    assertPathLength(rest.length - HEAD_BYTES_MAX);
  }
}

function assertPathLength(bytes: number): void {
  if (bytes <= PATH_BYTES_MAX) return;
  throw rejectedSourceError(`it contains a path longer than ${PATH_BYTES_MAX} bytes`);
}

/** Parses `100644 blob 5f2c…    1234`; a submodule has the size `-`. */
function parseSize(head: string): number {
  const [, , , size = ''] = head.split(/ +/);
  return Number.parseInt(size, 10) || 0;
}
