import { type JsonObject, toJson } from '../common/json.ts';
import { type MicroUsdLiteral, toMoney } from '../common/money.ts';
import { CONTROL_CATALOG, PACK_DATE } from '../control/control-catalog.ts';
import {
  CONTROL_LIMITS,
  describeControl,
  LABEL_MEANINGS,
  listControlsOfPath,
} from '../control/control-view.ts';
import type { ControlLabels, ControlWithChange } from '../control/controls.ts';
import { readListedPrice } from '../tool/listed-price.ts';
import type { ListedTool } from '../tool/tool.ts';
import { listToolNames, type ManifestFacts } from './facts.ts';
import { type HttpService, pathPrefix } from './http-services.ts';

/** Key of a tool's control in its `tools/list` entry. */
export const CONTROL_META = 'stoa/control';

/** Builds the manifest of live services, including counterparty risk controls. */
export function buildServicesManifest(facts: ManifestFacts): JsonObject {
  const { origin, title, version, tools, httpServices, payment } = facts;
  return toJson({
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
    counts: countServices(facts),
    services: [
      ...tools.map((tool) => buildToolEntry(tool, origin)),
      ...httpServices.map((service) => buildHttpEntry(service, facts)),
    ],
    counterparty_risk: buildCounterpartyRisk(facts),
  });
}

/** Counts services and controls from the facts of the server. */
export function countServices({ tools, httpServices, controls }: ManifestFacts): JsonObject {
  const countLabel = (label: string): number =>
    controls.filter((row) => row.label === label).length;
  return {
    tools: tools.length,
    priced_tools: tools.filter((tool) => readPrice(tool) !== undefined).length,
    http_services: httpServices.length,
    services: tools.length + httpServices.length,
    controls: { LIVE: countLabel('LIVE'), SHADOW: countLabel('SHADOW'), OFF: countLabel('OFF') },
  };
}

/** Builds the list of controls with their labels, the meaning of each label, and their limits. */
export function buildCounterpartyRisk(
  facts: Pick<ManifestFacts, 'origin' | 'tools' | 'controls'>,
): JsonObject {
  const offered = listToolNames(facts);
  return toJson({
    pack_date: PACK_DATE,
    limits: CONTROL_LIMITS,
    labels: LABEL_MEANINGS,
    read: `${facts.origin}/a2a/controls`,
    controls: facts.controls.map((control) => buildControlEntry(control, offered)),
  });
}

/** Builds the public description of a control. */
export function buildControlEntry(
  { controlId, label, change }: ControlWithChange,
  offered: ReadonlySet<string>,
): JsonObject {
  const { title, stage, price, tools, paths, labels, fixed } = CONTROL_CATALOG[controlId];
  return toJson({
    id: controlId,
    title,
    stage,
    label,
    ...describeControl(controlId, label, offered),
    price: price === 'elsewhere' ? null : formatPrice(price),
    tools,
    http: paths.map(({ method, path, isPrefix }) => `${method} ${path}${isPrefix ? '…' : ''}`),
    labels_possible: labels,
    ...(fixed === undefined ? {} : { labels_why: fixed }),
    change:
      change === null
        ? null
        : { who: change.who, why: change.why, at: new Date(change.at).toISOString() },
  });
}

/** Returns the HTTP services whose controls currently allow their use. */
export function listUsableServices(
  services: readonly HttpService[],
  labels: ControlLabels,
): readonly HttpService[] {
  return services.filter(({ method, path }) =>
    listControlsOfPath(method, pathPrefix(path)).every((id) => labels.labelOf(id) === 'LIVE'),
  );
}

function buildToolEntry(tool: ListedTool, origin: string) {
  const { name, title, description, annotations, _meta: meta } = tool;
  return {
    kind: 'tool',
    name,
    title,
    description,
    url: `${origin}/mcp`,
    price: readPrice(tool) ?? 'free',
    control: meta?.[CONTROL_META] ?? null,
    read_only: annotations.readOnlyHint,
  };
}

function buildHttpEntry(service: HttpService, { origin, controls }: ManifestFacts) {
  const { name, method, path, about, price, proof } = service;
  const ids = listControlsOfPath(method, pathPrefix(path));
  return {
    kind: 'http',
    name,
    method,
    url: `${origin}${path}`,
    description: about,
    price: formatPrice(price),
    proof,
    controls: controls
      .filter(({ controlId }) => ids.includes(controlId))
      .map(({ controlId, label }) => ({ id: controlId, label })),
  };
}

/** Returns the price of a tool as text, such as `$0.05`. */
export function priceText(tool: ListedTool): string {
  const amount = readListedPrice(tool);
  return amount === undefined ? 'free' : `$${amount}`;
}

function readPrice({ _meta: meta }: ListedTool): unknown {
  return meta?.['price'];
}

function formatPrice(price: MicroUsdLiteral | 'free') {
  return price === 'free' ? 'free' : toMoney(price);
}
