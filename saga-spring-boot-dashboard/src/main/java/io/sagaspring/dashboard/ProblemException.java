package io.sagaspring.dashboard;

/** A request that the dashboard answers with a problem. */
final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    /**
     * The body of the answer.
     *
     * @param status the HTTP status
     * @param title the kind of the problem
     * @param detail one or two sentences for a person
     * @param code the kind of the problem, for programs
     */
    record Problem(int status, String title, String detail, String code) {}

    ProblemException(Problem problem) {
        super(problem.detail());
        this.problem = problem;
    }

    static ProblemException badRequest(String detail) {
        return new ProblemException(new Problem(400, "Bad Request", detail, "bad-request"));
    }

    static ProblemException forbidden(String detail, String code) {
        return new ProblemException(new Problem(403, "Forbidden", detail, code));
    }

    static ProblemException notFound(String detail) {
        return new ProblemException(new Problem(404, "Not Found", detail, "not-found"));
    }

    Problem problem() {
        return problem;
    }
}
