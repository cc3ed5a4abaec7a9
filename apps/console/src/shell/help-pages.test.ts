import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addSignedInRoutes, router } from '../router.tsx';
import { helpFor, helpPages } from './help-pages.ts';

await addSignedInRoutes();
const routePaths = Object.values<{ fullPath?: string }>(router.routesById)
  .map(({ fullPath }) => fullPath)
  .filter((path) => path !== undefined)
  .map((path) => path.replace(/(.)\/$/, '$1'));
const hasNoHelp = new Set(['/', '/$', '/login']);

describe('helpFor', () => {
  it('returns the page of the longest path that matches', () => {
    const devices = '/organizations/$organizationID/applications/$applicationID';
    expect(helpFor(`${devices}/devices/$devEUI/keys`)).toEqual({ href: '/docs/devices', title: 'Devices' });
    expect(helpFor(`${devices}/integrations/$kind/edit`).href).toBe('/docs/integrations');
    expect(helpFor('/organizations/$organizationID/').href).toBe('/docs/quick-start');
  });

  it('returns the index for an unknown address', () => {
    expect(helpFor('/$')).toEqual({ href: '/docs/', title: 'Documentation' });
  });

  it('has a page for every route of the console', () => {
    const withoutHelp = routePaths.filter((path) => helpFor(path).href === '/docs/' && !hasNoHelp.has(path));
    expect(withoutHelp).toEqual([]);
  });

  it('uses the title of each documentation page', () => {
    const documents = join(import.meta.dirname, '../../../../docs');
    for (const path of Object.keys(helpPages)) {
      const { href, title } = helpFor(path);
      if (href === '/docs/') continue;
      const text = readFileSync(join(documents, `${href.slice('/docs/'.length)}.md`), 'utf8');
      expect(text).toMatch(new RegExp(`^# ${title}$`, 'm'));
    }
  });

  it('names only routes that exist', () => {
    expect(Object.keys(helpPages).filter((path) => !routePaths.includes(path))).toEqual([]);
  });
});
