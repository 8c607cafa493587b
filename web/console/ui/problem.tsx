import { TriangleAlert } from "lucide-react";
import { Button } from "../../ui/index.ts";
import "./problem.css";

type ProblemProps = {
  error: { status: number; message: string };
  retry?: () => void;
  /** What did not work, where that is not showing something. */
  title?: string;
};

/** What went wrong while something was to be shown, and another try. */
export function Problem({ error, retry, title = titleOf(error) }: ProblemProps) {
  return (
    <div className="problem" role="alert" data-testid="problem">
      <TriangleAlert />
      <p>
        <strong>{title}</strong>
        <span>{error.message}</span>
      </p>
      {retry && (
        <Button size="small" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

const titleOf = ({ status }: { status: number }): string =>
  status === 404 ? "This is not there" : "This could not be shown";
