import type { JsonObject } from '../common/json.ts';
import { type MicroUsdLiteral, money } from '../common/money.ts';
import { PACK_DATE } from '../control/catalog.ts';
import type { ControlLabels, StandingControl } from '../control/controls.ts';
import { CONTROL_ROWS } from '../control/rows.ts';
import { CONTROL_LIMITS, controlsOfPath, LABEL_MEANINGS, standingOf } from '../control/standing.ts';
import type { ListedTool } from '../tool/tool.ts';
import { type ManifestFacts, offeredTools } from './facts.ts';
import { fixedPart, type HttpService } from './http-services.ts';

/** Key of a tool's control in its `tools/list` entry. */
export const CONTROL_META = 'stoa/control';

/** Builds the manifest of live services, including counterparty risk controls. */
export function agentServices(facts: ManifestFacts): JsonObject {
  const { origin, title, version, tools, http, payment } = facts;
  return {
    name: 'stoa',
    title,
    version,
    updated_at: new Date(facts.updatedAt).toISOString(),
    mcp: facts.mcp.map(({ path, protocolVersions, challenge }) => ({
      transport: 'streamable-http',
      url: `${origin}${path}`,
      protocol_versions: protocolVersions,
      challenge,
    })),
    authentication: { api_key: false, proofs: ['payment', 'wallet_signature'] },
    payment: {
      protocol: 'x402',
      version: 2,
      network: payment.network,
      asset: payment.asset,
      currency: 'USD',
      fee_bps: payment.feeBps,
    },
    counts: countsOf(facts),
    services: [
      ...tools.map((tool) => toolEntry(tool, origin)),
      ...http.map((service) => httpEntry(service, facts)),
    ],
    counterparty_risk: counterpartyRisk(facts),
  } as unknown as JsonObject;
}

/** Counts services and controls from the facts of the server. */
export function countsOf({ tools, http, controls }: ManifestFacts): JsonObject {
  const labelled = (label: string): number => controls.filter((row) => row.label === label).length;
  return {
    tools: tools.length,
    priced_tools: tools.filter((tool) => priceOf(tool) !== undefined).length,
    http_services: http.length,
    services: tools.length + http.length,
    controls: { LIVE: labelled('LIVE'), SHADOW: labelled('SHADOW'), OFF: labelled('OFF') },
  };
}

/** Builds the list of controls with their labels, the meaning of each label, and their limits. */
export function counterpartyRisk(
  facts: Pick<ManifestFacts, 'origin' | 'tools' | 'controls'>,
): JsonObject {
  const offered = offeredTools(facts);
  return {
    pack_date: PACK_DATE,
    limits: CONTROL_LIMITS,
    labels: LABEL_MEANINGS,
    read: `${facts.origin}/a2a/controls`,
    controls: facts.controls.map((control) => controlEntry(control, offered)),
  } as unknown as JsonObject;
}

/** Builds the public description of a control. */
export function controlEntry(
  { controlId, label, change }: StandingControl,
  offered: ReadonlySet<string>,
): JsonObject {
  const { title, stage, price, tools, paths, labels, fixed } = CONTROL_ROWS[controlId];
  return {
    id: controlId,
    title,
    stage,
    label,
    ...standingOf(controlId, label, offered),
    price: price === 'elsewhere' ? null : priceWords(price),
    tools,
    http: paths.map(({ method, path, isPrefix }) => `${method} ${path}${isPrefix ? '…' : ''}`),
    labels_possible: labels,
    ...(fixed === undefined ? {} : { labels_why: fixed }),
    change:
      change === null
        ? null
        : { who: change.who, why: change.why, at: new Date(change.at).toISOString() },
  } as unknown as JsonObject;
}

/** Returns the HTTP services whose controls currently allow their use. */
export function usableServices(
  services: readonly HttpService[],
  labels: ControlLabels,
): readonly HttpService[] {
  return services.filter(({ method, path }) =>
    controlsOfPath(method, fixedPart(path)).every((id) => labels.now(id) === 'LIVE'),
  );
}

function toolEntry(tool: ListedTool, origin: string) {
  const { name, title, description, annotations, _meta: meta } = tool;
  return {
    kind: 'tool',
    name,
    title,
    description,
    url: `${origin}/v1/mcp`,
    price: priceOf(tool) ?? 'free',
    control: meta?.[CONTROL_META] ?? null,
    read_only: annotations.readOnlyHint,
  };
}

function httpEntry(service: HttpService, { origin, controls }: ManifestFacts) {
  const { name, method, path, about, price, proof } = service;
  const ids = controlsOfPath(method, fixedPart(path));
  return {
    kind: 'http',
    name,
    method,
    url: `${origin}${path}`,
    description: about,
    price: priceWords(price),
    proof,
    controls: controls
      .filter(({ controlId }) => ids.includes(controlId))
      .map(({ controlId, label }) => ({ id: controlId, label })),
  };
}

function priceOf({ _meta: meta }: ListedTool): unknown {
  return meta?.['price'];
}

function priceWords(price: MicroUsdLiteral | 'free') {
  return price === 'free' ? 'free' : money(price);
}
