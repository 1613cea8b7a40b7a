const ADVICE = {
  never: 'The same call will fail again.',
  after_fix: 'Fix the input named in `data`, then call again.',
  later: 'The same call may succeed later.',
};

/** The error table as a page; each code is an anchor that errors on the wire point to. */
export function errorsPage(errors) {
  const sections = Object.entries(errors).map(
    ([code, { status, retry, summary }]) =>
      `## ${code}\n\n${summary}\n\nHTTP ${status}. Retry: \`${retry}\`. ${ADVICE[retry]}\n`,
  );
  return `# Errors

Generated from \`src/domain/common/error.ts\` by \`node scripts/docs.mjs\`.

A tool error is a result with \`isError: true\`. Its structured content is
\`{error, message, retry, data?, doc}\`. \`error\` is one of the codes below, and its meaning never
changes. \`message\` is text for people. \`data\` has the received and the allowed values.

${sections.join('\n')}`;
}
