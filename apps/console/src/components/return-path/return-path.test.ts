import { afterEach, describe, expect, it } from 'vitest';
import { discardDraft, draftOf, returnPathOf, saveReturnPath, takeReturnPath } from './return-path.ts';

const form = '/organizations/1/applications/create';
const draft = { message: 'Application', values: { name: 'weather', serviceProfileID: '' }, field: 'serviceProfileID' };

function leave() {
  history.replaceState(null, '', form);
  document.title = 'Create application · Applications · Hilltop';
  const id = saveReturnPath(draft);
  history.replaceState(null, '', `/organizations/1/service-profiles/create?for=${id}`);
  return id;
}

afterEach(discardDraft);

describe('a detour', () => {
  it('leads back to the form, filled as it was, with what was made', () => {
    const id = leave();
    expect(returnPathOf(id)).toMatchObject({ back: form, from: 'Create application' });
    expect(takeReturnPath(id, '7')).toBe(form);
    expect(draftOf('Application')).toBeUndefined();
    history.replaceState(null, '', form);
    expect(draftOf('Application')).toEqual({ name: 'weather', serviceProfileID: '7' });
    expect(draftOf('Device')).toBeUndefined();
  });

  it('leads back without anything made', () => {
    takeReturnPath(leave());
    history.replaceState(null, '', form);
    expect(draftOf('Application')).toEqual(draft.values);
  });

  it('is gone once it was taken, and the longest ago beyond ten', () => {
    const first = leave();
    takeReturnPath(first, '7');
    expect(takeReturnPath(first, '7')).toBeUndefined();
    const ids = Array.from({ length: 11 }, leave);
    expect(ids.map((id) => returnPathOf(id) !== undefined)).toEqual([false, ...Array(10).fill(true)]);
  });
});
