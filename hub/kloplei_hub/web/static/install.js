// The page that says that there is no network is at hand without one.
navigator.serviceWorker?.register("/worker.js");
