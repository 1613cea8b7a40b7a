import {
  AGENT_CARD_PATH,
  type CardSigner,
  JWKS_PATH,
  signAgentCard,
} from '../../domain/agent-protocol/agent-card.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { renderPage } from '../../domain/common/markup.ts';
import type { ControlRegistry } from '../../domain/control/controls.ts';
import { buildServicesManifest, listUsableServices } from '../../domain/manifest/agent-services.ts';
import type { ManifestFacts } from '../../domain/manifest/facts.ts';
import { buildHomePage } from '../../domain/manifest/home-page.ts';
import { HTTP_SERVICES, pathPrefix } from '../../domain/manifest/http-services.ts';
import { ICON_PATH, ICON_SVG } from '../../domain/manifest/icon.ts';
import { buildLlmsText } from '../../domain/manifest/llms-text.ts';
import { buildOpenApi } from '../../domain/manifest/openapi.ts';
import { buildServerCard } from '../../domain/manifest/server-card.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import { networkOf } from '../http/address.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { TokenBuckets } from '../mcp/call/token-buckets.ts';
import { MODERN_VERSION, SESSION_VERSIONS } from '../mcp/versions.ts';
import { errorReply, readExactQuery } from '../proof/replies.ts';
import { pageHeaders } from '../routes/html.ts';

/** The paths of the manifests. */
export const MANIFEST_PATHS = {
  home: '/',
  llms: '/llms.txt',
  openApi: '/openapi.json',
  services: '/.well-known/agent-services.json',
  card: '/.well-known/mcp/server-card.json',
  agentCard: AGENT_CARD_PATH,
  keys: JWKS_PATH,
  icon: ICON_PATH,
} as const;

/** Read limit per network: a burst, and a rate per minute. */
export const MANIFEST_READS = { burst: 200, perMinute: 600 } as const;
/** Networks that the limiter tracks. It forgets the least recent one first. */
const MANIFEST_READERS_MAX = 20_000;

/** Caches must revalidate, so that none serves an outdated control label. */
const CACHE = 'public, no-cache';

/** The sources of the manifests. */
export interface ManifestDeps extends Pick<ManifestFacts, 'version' | 'title' | 'payment'> {
  readonly controls: ControlRegistry;
  readonly clock: Pick<Clock, 'now'>;
  tools(): ManifestFacts['tools'];
  /** Returns whether a tool runs as a job. */
  isJob(name: string): boolean;
  readonly hostingTools: ManifestFacts['hostingTools'];
  readonly signer: CardSigner;
  /** The origin of the server, without a trailing slash. */
  origin(): string;
  /** Every route of the front, including this one. */
  routes(): readonly FrontRoute[];
  /** The start time of the server, in milliseconds. */
  readonly startedAt: number;
}

/** Creates the routes of {@link MANIFEST_PATHS}, which say what the server offers. */
export function manifestRoutes(parts: ManifestDeps): readonly FrontRoute[] {
  const buckets = new TokenBuckets(MANIFEST_READS, MANIFEST_READERS_MAX);
  const route = (path: string, make: (facts: ManifestFacts) => Document): FrontRoute => {
    const getManifest = memoizeManifest(parts, make);
    return plainRoute({ methods: ['GET'], path, access: 'open' }, (request) => {
      const waitMs = buckets.take(networkOf(request.remoteAddress), parts.clock.now());
      if (waitMs > 0) return errorReply(new AppError('RATE_LIMITED'), waitMs);
      try {
        // Links to the page of a site often carry a query for its owner.
        if (path !== MANIFEST_PATHS.home) readExactQuery(request.query, []);
        return reply(getManifest(), request);
      } catch (thrown) {
        return errorReply(toAppError(thrown));
      }
    });
  };
  const json = (build: (facts: ManifestFacts) => JsonObject) => (facts: ManifestFacts) => ({
    body: JSON.stringify(build(facts)),
    headers: ['content-type', 'application/json'],
  });
  return [
    route(MANIFEST_PATHS.home, (facts) => {
      const page = buildHomePage(facts);
      return { body: renderPage(page), headers: pageHeaders(page) };
    }),
    route(MANIFEST_PATHS.llms, (facts) => ({
      body: buildLlmsText(facts),
      headers: ['content-type', 'text/markdown; charset=utf-8'],
    })),
    route(MANIFEST_PATHS.openApi, json(buildOpenApi)),
    route(MANIFEST_PATHS.services, json(buildServicesManifest)),
    route(MANIFEST_PATHS.card, json(buildServerCard)),
    route(
      MANIFEST_PATHS.agentCard,
      json((facts) => signAgentCard(facts, parts.signer)),
    ),
    route(
      MANIFEST_PATHS.keys,
      json(() => parts.signer.jwks),
    ),
    route(MANIFEST_PATHS.icon, () => ({
      body: ICON_SVG,
      headers: ['content-type', 'image/svg+xml'],
    })),
  ];
}

/** A document with the headers that describe it. */
interface Document {
  readonly body: string;
  readonly headers: readonly string[];
}

interface Manifest extends Document {
  readonly etag: string;
}

/** Caches a manifest until a control or the tool list changes. */
function memoizeManifest(
  parts: ManifestDeps,
  make: (facts: ManifestFacts) => Document,
): () => Manifest {
  let changes = -1;
  let tools: ManifestFacts['tools'] | undefined;
  let cached: Manifest = { body: '', headers: [], etag: '' };
  return () => {
    if (changes === parts.controls.changes && tools === parts.tools()) return cached;
    changes = parts.controls.changes;
    tools = parts.tools();
    const { body, headers } = make(collectFacts(parts));
    cached = { body, headers, etag: `"${sha256Hex(body).slice(0, 32)}"` };
    return cached;
  };
}

function collectFacts(parts: ManifestDeps): ManifestFacts {
  const { controls, version, title, payment, hostingTools, startedAt } = parts;
  const controlStates = controls.listWithChanges();
  const routes = parts.routes();
  const served = HTTP_SERVICES.filter(({ method, path }) => isServed(routes, method, path));
  return {
    origin: parts.origin(),
    version,
    title,
    payment,
    tools: parts.tools(),
    jobTools: parts.tools().filter(({ name }) => parts.isJob(name)),
    hostingTools,
    httpServices: listUsableServices(served, controls),
    mcp: [
      ...['/mcp', '/v2/'].map((path) => ({
        path,
        protocolVersions: [MODERN_VERSION, ...SESSION_VERSIONS],
        challenge: 'in_band' as const,
      })),
      { path: '/v1/mcp', protocolVersions: SESSION_VERSIONS, challenge: 'http_402' },
    ],
    controls: controlStates,
    updatedAt: controlStates.reduce(
      (last, { changedAt }) => Math.max(last, changedAt ?? 0),
      startedAt,
    ),
  };
}

function isServed(routes: readonly FrontRoute[], method: string, path: string): boolean {
  const fixed = pathPrefix(path);
  return routes.some(
    (route) =>
      route.methods.includes(method) &&
      path.endsWith(route.suffix ?? '') &&
      (route.path === path || (route.isPrefix === true && fixed.startsWith(route.path))),
  );
}

function reply({ body, headers, etag }: Manifest, request: HttpRequest): HttpReply {
  const shared = ['etag', etag, 'cache-control', CACHE];
  if (isCached(request, etag)) return { status: 304, headers: shared };
  return { status: 200, headers: [...headers, ...shared], body };
}

function isCached(request: HttpRequest, etag: string): boolean {
  const known = (headerOf(request, 'if-none-match') ?? '').split(',').map((tag) => tag.trim());
  return known.includes('*') || known.some((tag) => tag.replace(/^W\//, '') === etag);
}
