import { Component, type ReactNode } from 'react';
import { ErrorState } from '../states/states.tsx';

/** Catches what a page throws while it is drawn, so that the rest of the console stays usable. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidCatch(error: unknown) {
    console.error(error);
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <ErrorState error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
