package com.example.docs.runs;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.stereotype.Component;

/** Opens an account when the application starts. At the next start, the key leads to the same run. */
@Component
class OpenAtStartup implements ApplicationRunner {

    private final Opening opening;

    OpenAtStartup(Opening opening) {
        this.opening = opening;
    }

    @Override
    public void run(ApplicationArguments arguments) {
        opening.openFor(new Customer("c-1", "ada@example.org"));
    }
}
