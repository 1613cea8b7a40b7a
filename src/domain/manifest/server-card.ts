import { type JsonObject, toJson } from '../common/json.ts';
import { CONTROL_LIMITS, describeControl } from '../control/control-view.ts';
import { countServices } from './agent-services.ts';
import { listToolNames, type ManifestFacts } from './facts.ts';
import { ICON_PATH } from './icon.ts';

/** Schema of the card (MCP server cards, SEP-2127). */
const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json';
/** At most 100 characters, a limit of the schema. */
const DESCRIPTION =
  'Agents buy decisions, checks and attestations, priced per call and paid by x402.';
const NUMERIC_HOST = /^[\d.:[\]]+$/;

/**
 * Builds the public card of the tool server. The schema has no members for payment, counts and
 * limits, so they are under `_meta`.
 */
export function buildServerCard(facts: ManifestFacts): JsonObject {
  const { origin, title, version, mcp, payment, controls } = facts;
  const offered = listToolNames(facts);
  return toJson({
    $schema: CARD_SCHEMA,
    name: `${reverseHostName(origin)}/stoa-commerce`,
    version,
    title,
    description: DESCRIPTION,
    icons: [{ src: `${origin}${ICON_PATH}`, mimeType: 'image/svg+xml', sizes: ['any'] }],
    remotes: mcp.map(({ path, protocolVersions }) => ({
      type: 'streamable-http',
      url: `${origin}${path}`,
      supportedProtocolVersions: protocolVersions,
    })),
    _meta: {
      'stoa/authentication': { required: false, api_key: false },
      'stoa/payment': { protocol: 'x402', network: payment.network, fee_bps: payment.feeBps },
      'stoa/counts': countServices(facts),
      'stoa/services': `${origin}/.well-known/agent-services.json`,
      'stoa/limits': CONTROL_LIMITS,
      'stoa/controls': controls.map(({ controlId, label }) => ({
        id: controlId,
        label,
        acts: describeControl(controlId, label, offered).acts,
      })),
      'stoa/updated_at': new Date(facts.updatedAt).toISOString(),
    },
  });
}

/** Returns the reversed host name, as in server names: `org.example.shop`. */
function reverseHostName(origin: string): string {
  const { hostname } = new URL(origin);
  return NUMERIC_HOST.test(hostname) ? 'localhost' : hostname.split('.').reverse().join('.');
}
