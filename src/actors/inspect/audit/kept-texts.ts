import { z } from 'zod';
import { Finding } from '../../../domain/audit/records.ts';
import { AuditReport } from '../../../domain/audit/report.ts';
import type { BlobStore } from '../../../domain/common/blob-store.ts';

/** Of a finding what a page shows; its evidence stands in the report. */
const FindingText = Finding.pick({
  title: true,
  tool: true,
  remediation: true,
  reproducedBy: true,
});
/** See {@link FindingText}. */
export type FindingText = z.infer<typeof FindingText>;

/** Of a report what a page shows beside what the audit itself remembers. */
const ReportText = AuditReport.pick({ categories: true, probes: true });
/** See {@link ReportText}. */
export type ReportText = z.infer<typeof ReportText>;

const SignedText = z.object({
  payload: ReportText,
  statement: z.object({ signature: z.object({ signer: z.string() }) }),
});

/**
 * Reads what one audit keeps by hash, each text once. What is not kept any more, or has another
 * shape, is `undefined`: a page shows the rest. Bounded by the findings of one audit.
 */
export class KeptTexts {
  readonly #blobs: Pick<BlobStore, 'get'>;
  readonly #read = new Map<string, unknown>();

  constructor(blobs: Pick<BlobStore, 'get'>) {
    this.#blobs = blobs;
  }

  finding(sha: string): FindingText | undefined {
    return this.#of(sha, FindingText);
  }

  report(signedSha: string): ReportText | undefined {
    return this.#of(signedSha, SignedText)?.payload;
  }

  /** The address that signed a report. */
  signer(signedSha: string): string | undefined {
    return this.#of(signedSha, SignedText)?.statement.signature.signer;
  }

  #of<Shape>(sha: string, shape: z.ZodType<Shape>): Shape | undefined {
    if (this.#read.has(sha)) return this.#read.get(sha) as Shape | undefined;
    const text = this.#blobs.get(sha);
    if (text === undefined) return undefined;
    const parsed = shape.safeParse(JSON.parse(text)).data;
    this.#read.set(sha, parsed);
    return parsed;
  }
}
