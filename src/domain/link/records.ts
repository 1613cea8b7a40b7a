import { z } from 'zod';

/** Classes of link results. */
export const LinkClass = z.enum([
  'ok',
  'redirect',
  'client_error',
  'server_error',
  'unexpected_status',
  'anchor_missing',
  'rate_limited',
  'timeout',
  'dns',
  'tls',
  'connection',
  'redirect_loop',
  'protocol',
  'invalid',
  'ssrf_blocked',
  'not_checked',
]);
/** The class of a link result. */
export type LinkClass = z.infer<typeof LinkClass>;

/** Verdict on one link or on all of them. */
export const LinkVerdict = z.enum(['PASS', 'FAIL', 'UNKNOWN']);
/** Verdict on one link or on all of them. */
export type LinkVerdict = z.infer<typeof LinkVerdict>;

/** The result of one link. */
export const LinkResult = z.object({
  url: z.string().describe('The link as given or as found on the page.'),
  normalized: z.string().describe('The requested URL, without fragment.'),
  status: z.number().int().nullable().describe('HTTP status; null if there was no response.'),
  class: LinkClass,
  verdict: LinkVerdict,
  method: z.enum(['HEAD', 'GET']).nullable().describe('The HTTP method of the deciding request.'),
  final_url: z.string().nullable(),
  redirects: z.array(z.string()),
  latency_ms: z.number().nonnegative(),
  attempts: z.number().int().nonnegative().describe('Number of requests, not counting redirects.'),
  anchors: z
    .array(z.object({ anchor: z.string(), found: z.boolean().nullable() }))
    .optional()
    .describe('With check_fragments: the linked anchors. found is null if unknown.'),
  reached: z.boolean().describe('Whether the host sent any response.'),
  detail: z.string().optional(),
});
/** The result of one link. */
export type LinkResult = z.infer<typeof LinkResult>;

/** The result of a link check. */
export const LinkReport = z.object({
  verdict: LinkVerdict,
  reason: z.string(),
  counts: z.object({
    total: z.number().int(),
    passed: z.number().int(),
    failed: z.number().int(),
    unknown: z.number().int(),
    by_class: z.partialRecord(LinkClass, z.number().int()),
  }),
  results: z.array(LinkResult),
});
/** The result of a link check. */
export type LinkReport = z.infer<typeof LinkReport>;
