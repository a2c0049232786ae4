package com.example.docs.queues;

import com.example.docs.queues.Payouts.PayOut;
import com.example.docs.queues.Payouts.Payout;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Runs;
import org.springframework.stereotype.Service;

@Service
class Merchants {

    private final Runs runs;

    Merchants(Runs runs) {
        this.runs = runs;
    }

    RunHandle<String> payOut(Payout payout) {
        RunOptions options =
                RunOptions.withKey("payout:" + payout.reference()).in("psp").of(payout.merchant());
        return runs.start(PayOut.class, payout, options);
    }
}
