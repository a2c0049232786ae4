package com.example.docs.labels;

import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

@Service
class Parcels {

    private final Runs runs;

    Parcels(Runs runs) {
        this.runs = runs;
    }

    RunId ship(String parcel, String customer) {
        RunOptions options = RunOptions.withKey("ship:" + parcel).andLabel("customer", customer);
        return runs.start(ShipParcel.class, parcel, options).id();
    }

    List<RunView> onTheWay(String customer, @Nullable RunId last) {
        RunQuery query = runs.queryOf(ShipParcel.class)
                .in(RunState.WAITING)
                .withLabel("customer", customer)
                .latest(20);
        return runs.list(last == null ? query : query.before(last));
    }

    RunCount with(String carrier) {
        return runs.count(runs.queryOf(ShipParcel.class).withLabel("carrier", carrier));
    }
}
