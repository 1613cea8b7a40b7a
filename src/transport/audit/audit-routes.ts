import { z } from 'zod';
import type { PublishedAudits } from '../../domain/audit/published-audits.ts';
import { toSarif } from '../../domain/audit/sarif.ts';
import { AUDITS_PATH } from '../../domain/audit/state.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { wantsPage } from '../passport/passport-page.ts';
import { createRatedRoutes, readBody, readParams } from '../passport/read-request.ts';
import { jsonReply, readCount } from '../proof/replies.ts';
import { auditPage, auditsPage } from './audit-page.ts';

/** Read and stop limits per network. */
export const AUDIT_RATES = {
  reads: { burst: 100, perMinute: 300 },
  stops: { burst: 10, perMinute: 30 },
} as const;

const LISTED = { default: 20, max: 50 } as const;
const BODY_BYTES_MAX = 1_024;
const FORMATS = ['json', 'html', 'sarif'] as const;
const StopOrder = z.strictObject({ nonce: z.string().max(200).optional() });

/** The dependencies of the audit routes. */
export interface AuditService {
  readonly audits: PublishedAudits;
  readonly clock: Clock;
  /** The version of this program, as SARIF reports state it. */
  readonly version: string;
}

/**
 * Creates `GET /v1/audits`, `GET /v1/audits/<id>` (page, JSON or SARIF) and `POST
 * /v1/audits/<id>/stop` for the owner of a target. All are free.
 */
export function auditRoutes(service: AuditService): readonly FrontRoute[] {
  const read = createRatedRoutes(AUDIT_RATES.reads, service.clock);
  const stop = createRatedRoutes(AUDIT_RATES.stops, service.clock);
  const below = { path: `${AUDITS_PATH}/`, isPrefix: true } as const;
  return [
    read({ methods: ['GET'], path: AUDITS_PATH }, (request) => listAudits(service, request)),
    read({ methods: ['GET'], ...below }, (request) => showAudit(service, request)),
    stop(
      { methods: ['POST'], ...below, suffix: STOP, bodyBytesMax: BODY_BYTES_MAX },
      (request, body) => stopAudit(service, request, body),
    ),
  ];
}

const STOP = '/stop';

async function listAudits({ audits }: AuditService, request: HttpRequest): Promise<HttpReply> {
  const asked = readParams(request.query, ['cursor', 'limit', 'origin']);
  const { cursor, origin } = asked;
  const limit =
    asked.limit === undefined ? LISTED.default : readCount('limit', asked.limit, LISTED.max);
  const page = await audits.list({
    limit: Math.max(1, limit),
    ...(cursor === undefined ? {} : { cursor }),
    ...(origin === undefined ? {} : { origin }),
  });
  if (wantsPage(headerOf(request, 'accept'))) return auditsPage(page.rows, page.cursor);
  return withVaryAccept(jsonReply(200, { audits: page.rows, cursor: page.cursor }));
}

async function showAudit(
  { audits, version }: AuditService,
  request: HttpRequest,
): Promise<HttpReply> {
  const { format } = readParams(request.query, ['format']);
  const audit = await audits.read(readAuditId(request.path));
  const isPage = wantsPage(headerOf(request, 'accept'));
  switch (readFormat(format) ?? (isPage ? 'html' : 'json')) {
    case 'html':
      return auditPage(audit);
    case 'sarif':
      return {
        status: 200,
        headers: ['content-type', 'application/sarif+json', 'cache-control', 'no-store'],
        body: JSON.stringify(toSarif(audit.payload, version)),
      };
    case 'json':
      return withVaryAccept(jsonReply(200, audit));
  }
}

async function stopAudit(
  { audits }: AuditService,
  request: HttpRequest,
  body: Buffer,
): Promise<HttpReply> {
  readParams(request.query, []);
  const { nonce } = body.length === 0 ? {} : readBody(StopOrder, body);
  const result = await audits.stop(readAuditId(request.path.slice(0, -STOP.length)), { nonce });
  return jsonReply(200, result);
}

const AUDIT_ID = /^aud_[0-9a-f]{32}$/;

function readAuditId(path: string): string {
  const auditId = path.slice(AUDITS_PATH.length + 1);
  if (AUDIT_ID.test(auditId)) return auditId;
  throw new AppError('AUDIT_UNKNOWN', {
    data: { received: auditId.slice(0, 100), allowed: `${AUDITS_PATH}/aud_<32 hex digits>` },
  });
}

function readFormat(format: string | undefined): (typeof FORMATS)[number] | undefined {
  const found = FORMATS.find((one) => one === format);
  if (format === undefined || found !== undefined) return found;
  throw new AppError('INPUT_INVALID', {
    message: '`format` must be json, html or sarif.',
    data: { path: 'format', received: format.slice(0, 40), allowed: FORMATS },
  });
}

function withVaryAccept(reply: HttpReply): HttpReply {
  return { ...reply, headers: [...(reply.headers ?? []), 'vary', 'accept'] };
}
