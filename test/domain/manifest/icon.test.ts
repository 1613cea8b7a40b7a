import { readFileSync } from 'node:fs';
import { sanitizeResourceServiceMetadata } from '@x402/extensions/bazaar';
import { expect, test } from 'vitest';
import { ICON_SVG, iconUrl, SERVER_ICONS } from '../../../src/domain/manifest/icon.ts';

test('the icon of the service is that of the console, in the address of MCP too', () => {
  const console = readFileSync(new URL('../../../web/icon.svg', import.meta.url), 'utf8');
  expect(ICON_SVG).toBe(console);
  const [, base64 = ''] = SERVER_ICONS[0]?.src.split(',') ?? [];
  expect(Buffer.from(base64, 'base64').toString('utf8')).toBe(console);
});

test('catalogues keep the address of the icon; without HTTP there is none', () => {
  const icon = iconUrl('https://stoa.example/mcp#tool') ?? '';
  expect(icon).toBe('https://stoa.example/icon.svg');
  const shown = { url: 'https://stoa.example/mcp', iconUrl: icon };
  expect(sanitizeResourceServiceMetadata(shown)).toEqual({ iconUrl: icon });
  expect(iconUrl('mcp://tool/agent_trust-badge')).toBeUndefined();
});
