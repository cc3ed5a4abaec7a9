/** The signed-in browsers and programs of a user. Not in the recorded API, whose sessions are not stored. */
import { admins, globally, only } from './access.ts';
import { get, ownOperationsOf, page, remove } from './operation.ts';
import { bool, int64, listOf, message, text, timestamp, uuid, type ValueOf } from './wire.ts';

export const Session = message('hilltop.Session', {
  id: uuid({ label: 'Session ID' }),
  createdAt: timestamp({ label: 'Signed in' }),
  lastUsedAt: timestamp({ label: 'Last used', help: 'To the minute.' }),
  expiresAt: timestamp({ label: 'Ends' }),
  address: text({ label: 'Address', help: 'The address of the client at sign-in; empty when unknown.' }),
  agent: text({ label: 'Browser', help: 'The user agent of the browser or program; empty when unknown.' }),
  isCurrent: bool({ label: 'This one', help: 'The session of this call.' }),
});
export type Session = ValueOf<typeof Session>;

const ListSessionsResponse = message('hilltop.ListSessionsResponse', {
  totalCount: int64(),
  result: listOf(Session),
});

export const SignInPage = message('hilltop.SignInPage', {
  installationName: text({ label: 'Name of the installation', help: 'Empty when it has none.' }),
  isFirstStart: bool({ label: 'First start', help: 'Nobody has signed in, and nothing was added.' }),
});
export type SignInPage = ValueOf<typeof SignInPage>;

const own = globally('anyUser');
const ofUser = { userID: int64({ required: true }) };
const byAdmins = only('user', 'userID', admins);

export const session = ownOperationsOf('session', {
  list: get('/api/account/sessions', {
    summary: 'List your sessions, the most recently used first',
    request: message('hilltop.ListSessionsRequest', page),
    response: ListSessionsResponse,
    access: own,
  }),
  end: remove('/api/account/sessions/{id}', {
    summary: 'End one of your sessions',
    request: message('hilltop.EndSessionRequest', { id: uuid({ required: true }) }),
    access: own,
  }),
  endOthers: remove('/api/account/sessions', {
    summary: 'End all your sessions except the current one',
    request: message('hilltop.EndOtherSessionsRequest', {}),
    access: own,
  }),
  listOfUser: get('/api/users/{user_id}/sessions', {
    summary: 'List the sessions of a user, the most recently used first',
    request: message('hilltop.ListSessionsOfUserRequest', { ...ofUser, ...page }),
    response: ListSessionsResponse,
    access: byAdmins,
  }),
  endOfUser: remove('/api/users/{user_id}/sessions/{id}', {
    summary: 'End a session of a user',
    request: message('hilltop.EndSessionOfUserRequest', { ...ofUser, id: uuid({ required: true }) }),
    access: byAdmins,
  }),
  endAllOfUser: remove('/api/users/{user_id}/sessions', {
    summary: 'End all sessions of a user',
    request: message('hilltop.EndSessionsOfUserRequest', ofUser),
    access: byAdmins,
  }),
  getSignInPage: get('/api/account/sign-in', {
    summary: 'What the sign-in page shows about the installation',
    request: message('hilltop.GetSignInPageRequest', {}),
    response: SignInPage,
    access: globally('public'),
  }),
});
