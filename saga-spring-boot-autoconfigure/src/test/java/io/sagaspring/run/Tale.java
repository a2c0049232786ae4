package io.sagaspring.run;

/** The code of a run, as a test tells it. */
final class Tale implements DurableRun<String, String> {

    interface Code {
        String run(RunContext run, String input) throws Exception;
    }

    private final String name;
    private volatile Code code;

    Tale(String name, Code code) {
        this.name = name;
        this.code = code;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String run(RunContext run, String input) throws Exception {
        return code.run(run, input);
    }

    /** As if another version of the application were deployed. */
    void becomes(Code other) {
        this.code = other;
    }
}
