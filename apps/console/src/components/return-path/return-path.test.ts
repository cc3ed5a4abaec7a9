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
  it('returns to the form with its input and the id of the created object', () => {
    const id = leave();
    expect(returnPathOf(id)).toMatchObject({ back: form, from: 'Create application' });
    expect(takeReturnPath(id, '7')).toBe(form);
    expect(draftOf('Application')).toBeUndefined();
    history.replaceState(null, '', form);
    expect(draftOf('Application')).toEqual({ name: 'weather', serviceProfileID: '7' });
    expect(draftOf('Device')).toBeUndefined();
  });

  it('returns without a created object', () => {
    takeReturnPath(leave());
    history.replaceState(null, '', form);
    expect(draftOf('Application')).toEqual(draft.values);
  });

  it('is removed once it was used, and the oldest are removed beyond ten', () => {
    const first = leave();
    takeReturnPath(first, '7');
    expect(takeReturnPath(first, '7')).toBeUndefined();
    const ids = Array.from({ length: 11 }, leave);
    expect(ids.map((id) => returnPathOf(id) !== undefined)).toEqual([false, ...Array(10).fill(true)]);
  });
});
