import {
  extractDiscoveryInfoFromExtension,
  sanitizeResourceServiceMetadata,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar';
import { expect, test } from 'vitest';
import { createBazaarExtension, describeService } from '../../../src/tools/payment/bazaar.ts';
import { commerceTools } from '../../../src/tools/service/catalog.ts';
import { listTool } from '../../../src/tools/service/listing.ts';
import { NOTHING } from '../service/nothing.ts';

const PRICED = commerceTools(NOTHING as never).filter(({ price }) => price !== undefined);

// The checks are those of the public facilitator package, which drops what it finds invalid.
test.each(['mcp', 'http'] as const)('catalogues accept every priced tool over %s', (protocol) => {
  for (const tool of PRICED) {
    const { inputSchema } = listTool(tool, undefined);
    const { bazaar } = createBazaarExtension(tool, protocol, inputSchema);
    const extension = JSON.parse(JSON.stringify(bazaar));
    expect(validateDiscoveryExtension(extension), tool.name).toEqual({ valid: true });
    expect(validateDiscoveryExtensionSpec(extension), tool.name).toEqual({ valid: true });
    const { input } = extractDiscoveryInfoFromExtension(extension);
    const known = protocol === 'mcp' ? { type: 'mcp', toolName: tool.name } : { type: 'http' };
    expect(input).toMatchObject(known);
  }
});

test('catalogues keep name and tags of the seller as they are', () => {
  for (const tool of PRICED) {
    const shown = { url: 'https://stoa.example/mcp', ...describeService(tool) };
    expect(sanitizeResourceServiceMetadata(shown), tool.name).toEqual(describeService(tool));
  }
});

test('an extension whose facts contradict its schema is refused', () => {
  const [tool] = PRICED;
  if (tool === undefined) throw new Error('no tool has a price');
  const { bazaar } = createBazaarExtension(tool, 'mcp', {});
  const extension = JSON.parse(JSON.stringify(bazaar));
  delete extension.info.input.inputSchema;
  expect(validateDiscoveryExtension(extension).valid).toBe(false);
});
