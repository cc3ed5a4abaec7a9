import type { OrganizationUserListItem } from '@hilltop/contract';
import { Button } from '@mantine/core';
import { IconMailPlus, IconPlus, IconUsers } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { YesNo } from '../../components/status/yes-no.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

const InviteDialog = lazy(() => import('./invite-dialog.tsx'));
const OpenInvitations = lazy(() => import('./open-invitations.tsx'));

function limitsText(isReadOnly: boolean, applications: number): string {
  const parts = [
    ...(isReadOnly ? ['read-only'] : []),
    ...(applications > 0 ? [`${applications} application${applications === 1 ? '' : 's'}`] : []),
  ];
  return parts.join(', ') || '–';
}

type MemberColumn = Column<
  OrganizationUserListItem,
  'email' | 'isAdmin' | 'isGatewayAdmin' | 'isDeviceAdmin' | 'createdAt'
>;

const columnsOf = (organizationID: string): MemberColumn[] => [
  {
    header: 'Email',
    sort: 'email',
    primary: true,
    cell: ({ userID, email }) => <AppLink to={paths.organizationUser.one(organizationID, userID)}>{email}</AppLink>,
  },
  {
    header: 'Organization admin',
    short: 'Admin',
    sort: 'isAdmin',
    align: 'center',
    cell: ({ isAdmin }) => <YesNo value={isAdmin} />,
  },
  // An organization admin implies the two other roles, whatever is stored.
  {
    header: 'Gateway admin',
    sort: 'isGatewayAdmin',
    align: 'center',
    cell: ({ isAdmin, isGatewayAdmin }) => <YesNo value={isAdmin || isGatewayAdmin} />,
  },
  {
    header: 'Device admin',
    sort: 'isDeviceAdmin',
    align: 'center',
    cell: ({ isAdmin, isDeviceAdmin }) => <YesNo value={isAdmin || isDeviceAdmin} />,
  },
  {
    header: 'Limits',
    width: 180,
    cell: ({ isReadOnly = false, applicationIDs = [] }) => limitsText(isReadOnly, applicationIDs.length),
  },
  {
    header: 'Added',
    sort: 'createdAt',
    width: 140,
    card: 'folded',
    cell: ({ createdAt }) => <LastSeen at={createdAt} />,
  },
];

export function OrganizationUserList() {
  const { organizationID } = useIDs();
  const create = (
    <LinkButton to={paths.organizationUser.create(organizationID)} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
  );
  const may = useMay();
  const isOffered = useOffered('invitation', 'create');
  const [isInviting, setInviting] = useState(false);
  const invite = isOffered && may('invitation.create') && (
    <Button variant="default" leftSection={<IconMailPlus size={16} />} onClick={() => setInviting(true)}>
      Invite
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Organization users"
        actions={
          <>
            {invite}
            {create}
          </>
        }
      />
      <ResourceList
        label="Organization users"
        search="Search by e-mail"
        query={({ limit, offset, search, orderBy }) =>
          query('organization', 'listUsers', { organizationID, limit, offset, search, orderBy, include: 'limits' })
        }
        rowKey={({ userID }) => userID}
        columns={columnsOf(organizationID)}
        empty={{
          icon: <IconUsers size={32} />,
          title: 'No users in this organization yet',
          text: 'Members see everything in the organization. Their roles define what they can change.',
          action: create,
        }}
      />
      <Suspense>
        {isOffered && <OpenInvitations organizationID={organizationID} />}
        {isInviting && <InviteDialog organizationID={organizationID} onClose={() => setInviting(false)} />}
      </Suspense>
    </>
  );
}
