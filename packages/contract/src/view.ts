/** Saved views of lists: filters, order and columns under a name. Each user has views of their own. */
import { first, globally } from './access.ts';
import { get, ownOperationsOf, post, put, remove } from './operation.ts';
import { plainName } from './rules.ts';
import { bool, enumeration, int64, listOf, message, oneOf, text, uuid, type ValueOf } from './wire.ts';

/** `APPLICATION_DEVICES`: the device tab of every application of an organization. */
const ViewList = enumeration('hilltop.ViewList', ['DEVICES', 'GATEWAYS', 'APPLICATION_DEVICES']);
export type ViewList = (typeof ViewList)['names'][number];

/** The most views that a user has of one list. */
export const mostViews = 50;

const place = {
  organizationID: int64({ label: 'Organization', help: '0: the list over all organizations.' }),
  list: oneOf(ViewList, { label: 'List' }),
} as const;
const content = {
  name: text(plainName),
  query: text({ label: 'Address', help: 'The query of the address of the list.', maxLength: 8192 }),
  isStart: bool({ label: 'Start view', help: 'The list opens with it. A list has one at most.' }),
} as const;

export const View = message('hilltop.View', { id: uuid({ label: 'View ID' }), ...place, ...content });
export type View = ValueOf<typeof View>;

/** Members have views of the lists of their organization, global administrators also of those over all. */
const ofPlace = first(
  {
    ...({ when: 'organizationID', on: 'organization', of: 'organizationID', isOwn: true } as const),
    allow: ['globalAdmin', 'limitedMember'],
  },
  { on: 'global', allow: ['globalAdmin'] },
);

export const view = ownOperationsOf('view', {
  list: get('/api/views', {
    summary: 'List your saved views of a list, by name',
    request: message('hilltop.ListViewsRequest', place),
    response: message('hilltop.ListViewsResponse', { result: listOf(View) }),
    access: ofPlace,
  }),
  create: post('/api/views', {
    summary: 'Save a view of a list for yourself',
    request: message('hilltop.CreateViewRequest', { ...place, ...content }),
    response: message('hilltop.CreateViewResponse', { id: text() }),
    access: ofPlace,
  }),
  update: put('/api/views/{id}', {
    summary: 'Change one of your views',
    request: message('hilltop.UpdateViewRequest', { id: uuid({ required: true }), ...content }),
    access: globally('anyUser'),
  }),
  delete: remove('/api/views/{id}', {
    summary: 'Delete one of your views',
    request: message('hilltop.DeleteViewRequest', { id: uuid({ required: true }) }),
    access: globally('anyUser'),
  }),
});
