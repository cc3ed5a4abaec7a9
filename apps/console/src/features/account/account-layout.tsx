import { Outlet } from '@tanstack/react-router';
import { useOffered } from '../../api/use-offered.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { useSession } from '../../session/session.tsx';

/** The account of the signed-in user. */
export function AccountLayout() {
  const { user } = useSession();
  const hasSecurity = useOffered('secondFactor', 'get');
  return (
    <>
      <PageHeader
        title="Account"
        facts={user.email}
        tabs={[
          { label: 'Profile', to: paths.account(), exact: true },
          { label: 'Security', to: paths.accountSecurity(), hidden: !hasSecurity },
          { label: 'Sessions', to: paths.sessions() },
        ]}
      />
      <Outlet />
    </>
  );
}
