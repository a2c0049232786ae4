package io.sagaspring.run;

/** A run whose code is provided by a test. */
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

    /** Replaces the code, as if another version of the application had been deployed. */
    void becomes(Code other) {
        this.code = other;
    }
}
