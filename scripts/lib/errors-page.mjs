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

An error of a tool is a result with \`isError: true\` whose structured content is
\`{error, message, retry, data?, doc}\`. \`error\` is one of the codes below and never changes its
meaning; \`message\` is for people; \`data\` says what was received and what is allowed.

${sections.join('\n')}`;
}
