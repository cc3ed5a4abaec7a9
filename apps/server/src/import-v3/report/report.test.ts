import assert from 'node:assert/strict';
import { it } from 'node:test';
import { reportUnread } from '../settings.ts';
import { settingsOfTexts } from '../source/settings-file.ts';
import { createReport, textOf } from './report.ts';

it('sends no control characters to a terminal, whatever names contain', () => {
  const report = createReport();
  const name = 'meter\u001b[2J\u009b2J\r\u0007 of\nthe mill';
  report.find('notice', 'devices', 'its name is odd', name);
  report.source({ what: 'application server', where: `db:5432/${name}`, version: 'schema 60' });
  report.set('brandingFooter', `two\nlines`);
  const text = textOf(report.report());
  assert.doesNotMatch(text, /[^\P{Cc}\n]/u);
  assert.match(text, /^ {6}meter.* of the mill$/m);
  assert.match(text, /HILLTOP_BRANDING_FOOTER='two\nlines'/);
});

it('does not grow with the names in a file', () => {
  const report = createReport();
  const deep = (levels: number): string => (levels === 0 ? '1' : `{${'k'.repeat(4000)}=${deep(levels - 1)},leaf=1}`);
  reportUnread(settingsOfTexts('as.toml', `x=${deep(15)}`, ''), report);
  assert.ok(JSON.stringify(report.report()).length < 10_000);
});
