import { z } from 'zod';
import { Finding } from '../../../domain/audit/records.ts';
import { AuditReport } from '../../../domain/audit/report.ts';
import type { BlobStore } from '../../../domain/common/blob-store.ts';

/** The parts of a finding that a page shows; its evidence is in the report. */
const FindingText = Finding.pick({
  title: true,
  tool: true,
  remediation: true,
  reproducedBy: true,
});
/** The displayed parts of a finding. */
export type FindingText = z.infer<typeof FindingText>;

/** The parts of a report that a page needs and the audit context lacks. */
const ReportText = AuditReport.pick({ categories: true, probes: true });
/** The displayed parts of a report. */
export type ReportText = z.infer<typeof ReportText>;

const SignedText = z.object({
  payload: ReportText,
  statement: z.object({ signature: z.object({ signer: z.string() }) }),
});

/**
 * Reads the stored texts of one audit by hash, each once. A missing or malformed text is
 * `undefined`, and the page shows the rest. The cache is limited by the findings of one audit.
 */
export class StoredTexts {
  readonly #blobs: Pick<BlobStore, 'get'>;
  readonly #read = new Map<string, unknown>();

  constructor(blobs: Pick<BlobStore, 'get'>) {
    this.#blobs = blobs;
  }

  finding(sha: string): FindingText | undefined {
    return this.#load(sha, FindingText);
  }

  report(signedSha: string): ReportText | undefined {
    return this.#load(signedSha, SignedText)?.payload;
  }

  /** Returns the address that signed a report. */
  signer(signedSha: string): string | undefined {
    return this.#load(signedSha, SignedText)?.statement.signature.signer;
  }

  #load<Shape>(sha: string, shape: z.ZodType<Shape>): Shape | undefined {
    if (this.#read.has(sha)) return this.#read.get(sha) as Shape | undefined;
    const text = this.#blobs.get(sha);
    if (text === undefined) return undefined;
    const parsed = shape.safeParse(JSON.parse(text)).data;
    this.#read.set(sha, parsed);
    return parsed;
  }
}
