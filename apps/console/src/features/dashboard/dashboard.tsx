import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Overview } from './overview.tsx';

/** The dashboard of all organizations, for global administrators. */
export function Dashboard() {
  return (
    <>
      <PageHeader title="Dashboard" />
      <Overview organizationID="0" />
    </>
  );
}
