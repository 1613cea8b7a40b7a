import { existsSync, writeFileSync } from 'node:fs';
import { AppError } from '../../domain/common/error.ts';
import { renderPage } from '../../domain/common/markup.ts';
import { parseReport } from '../../domain/report/page/parse-report.ts';
import { type ProofCheckResult, renderReportPage } from '../../domain/report/page/report-page.ts';
import { verifyDataAnswer } from '../../domain/verification/data-answer.ts';
import { readGivenFile } from '../common/read-file.ts';
import type { Input } from '../common/usage.ts';
import type { AUDIT } from '../usage/audit.ts';

/** Maximum size of an answer file, in bytes. */
const FILE_BYTES_MAX = 33_554_432;

/**
 * `stoa report`: renders a saved report, or a saved answer of a data tool, as one HTML page
 * without a server. Without `--html`, the page goes to standard output. If the signature does not
 * match, the page has a warning and the exit code is 1.
 */
export async function report({
  file,
  html,
  force,
  signer,
}: Input<typeof AUDIT.report>): Promise<number> {
  if (signer !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(signer)) {
    throw new AppError('CONFIG_INVALID', {
      message: '--signer must be 0x and 40 hex digits.',
      data: { received: signer.slice(0, 200) },
    });
  }
  const saved = readJson(file);
  const source = parseReport(saved);
  const checked = source.answer?.evidence ? await checkSignature(saved, signer) : undefined;
  const page = renderPage(renderReportPage(source, checked));
  if (html === undefined) process.stdout.write(page);
  else writePage(html, page, force);
  if (checked !== undefined) process.stderr.write(`${checked.summary}\n`);
  return checked?.isValid === false ? 1 : 0;
}

async function checkSignature(
  saved: unknown,
  signer: string | undefined,
): Promise<ProofCheckResult> {
  // The native curve library loads only for signed answers.
  const { recoverSigner } = await import('../../providers/chain/signature.ts');
  const verdict = verifyDataAnswer(saved, {
    recover: recoverSigner,
    ...(signer === undefined ? {} : { signer }),
  });
  if (!verdict.isValid) {
    return { isValid: false, summary: `The signature does not match: ${verdict.reason}.` };
  }
  const whose = signer === undefined ? 'the signer that it names' : 'the expected signer';
  const words = `Checked when this page was created: signed by ${whose}, ${verdict.signer}.`;
  return { isValid: true, summary: words };
}

function writePage(file: string, page: string, isForced: boolean): void {
  if (existsSync(file) && !isForced) {
    throw new AppError('CONFIG_INVALID', {
      message: `${file} exists. Use --force to overwrite it.`,
      data: { file },
    });
  }
  try {
    writeFileSync(file, page);
  } catch (cause) {
    const facts = { message: `${file} cannot be written.`, data: { file }, cause };
    throw new AppError('CONFIG_INVALID', facts);
  }
  process.stdout.write(`${file}: ${Buffer.byteLength(page)} bytes\n`);
}

function readJson(file: string): unknown {
  const text = readGivenFile(file, FILE_BYTES_MAX).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    const facts = { message: `${file} is not valid JSON.`, data: { file }, cause };
    throw new AppError('CONFIG_INVALID', facts);
  }
}
