package com.example.docs.runs;

import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Runs;
import org.springframework.stereotype.Service;

@Service
class Opening {

    private final Runs runs;

    Opening(Runs runs) {
        this.runs = runs;
    }

    RunId openFor(Customer customer) {
        RunHandle<AccountId> opening =
                runs.start(OpenAccount.class, customer, RunOptions.withKey("open:" + customer.id()));
        return opening.id();
    }
}
