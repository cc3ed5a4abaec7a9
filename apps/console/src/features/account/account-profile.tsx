import { FactCard } from '../../components/facts/facts.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { paths } from '../../paths.ts';
import { useSession } from '../../session/session.tsx';
import classes from './account.module.css';

/** Who is signed in, and of which organizations. Administrators change it on the page of the user. */
export function AccountProfile() {
  const { user, organizations } = useSession();
  return (
    <FactCard
      title="Profile"
      facts={[
        ['E-mail address', user.email],
        ['Role', user.isAdmin ? 'Global administrator' : 'User'],
        [
          'Organizations',
          organizations.map(({ organizationID, organizationName, isAdmin }) => (
            <p key={organizationID} className={classes.membership}>
              <AppLink to={paths.organization.one(organizationID)}>{organizationName}</AppLink>
              {isAdmin && ' (administrator)'}
            </p>
          )),
        ],
      ]}
    />
  );
}
